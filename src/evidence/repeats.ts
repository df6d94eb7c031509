import { Type } from 'typebox';
import { parseDuration } from '../lib/duration.ts';
import { everyLook, once } from '../model/repeat.ts';
import { Flag } from './parameters.ts';

/** Members of a detector that reports when its condition ends. */
export const endMember = {
  reportEnd: Flag('Whether an alert of INFO is raised once it is over. It fires no action.', true),
};

/** Members of a detector whose condition on a value can go on for many looks. */
export const repeatMembers = {
  repeat: Type.String({
    format: 'repeat',
    default: once,
    description:
      'How often alerts are raised while the condition holds: once (when it begins to), again after a length of time such as 1 h, or at every look. Conditions on a change since the last look (++, --, per cent) raise one for each change; >> and << raise one when they begin to hold.',
  }),
  ...endMember,
};

export type Repeats = { readonly repeat: string; readonly reportEnd: boolean };

/** `armed` is false while the condition holds; `reportedAt` is kept only where it is reported again after a time. */
export type RepeatState = { readonly armed?: boolean; readonly reportedAt?: number };

export type RepeatJudgement = {
  readonly fires: boolean;
  /** It held at the last look, and its end is to be reported. */
  readonly ends: boolean;
  readonly isAgain: boolean;
  readonly after: RepeatState;
};

/** Decides if a condition is reported at this poll. `isEdge`: it is reported only when it begins to hold. */
export function judgeRepeat(
  { repeat, reportEnd }: Repeats,
  holds: boolean,
  time: number,
  before: RepeatState = {},
  isEdge = false,
): RepeatJudgement {
  const held = before.armed === false;
  if (!holds) return { fires: false, ends: held && reportEnd, isAgain: false, after: {} };
  const isEvery = repeat === everyLook && !isEdge;
  const everyMs = repeat === everyLook || repeat === once || isEdge ? undefined : parseDuration(repeat);
  const isAgain = held && everyMs !== undefined && time >= (before.reportedAt ?? 0) + everyMs;
  const fires = !held || isEvery || isAgain;
  const isKept = !isEvery || reportEnd;
  return {
    fires,
    ends: false,
    isAgain,
    after: {
      ...(isKept && { armed: false }),
      ...(everyMs !== undefined && { reportedAt: fires ? time : before.reportedAt! }),
    },
  };
}

/** The verb of a message about a condition that is met. */
export function meets({ ends, isAgain }: Pick<RepeatJudgement, 'ends' | 'isAgain'>): string {
  if (ends) return 'no longer meets';
  return isAgain ? 'still meets' : 'meets';
}

/** Marks the finding that a condition has ended. */
export const endOfCondition = { severity: 'INFO', isEnd: true } as const;
