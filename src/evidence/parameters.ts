import { Type } from 'typebox';
import { evmFormat } from '../codecs/evm/evmFormat.ts';
import { parseSchedule } from '../lib/schedule.ts';
import type { ChainFacts, Interest } from '../model/detection.ts';

/** Members of configurations that several detectors have; each with the words that the API documents show. */
export function Addresses(description: string, most = 10_000) {
  return Type.Array(Type.String({ format: evmFormat.address }), {
    description,
    default: [],
    maxItems: most,
    uniqueItems: true,
  });
}

export function Address(description: string) {
  return Type.String({ description, format: evmFormat.address });
}

/** Tags of labels, which are kept in capitals. */
export function LabelTags(description: string, fallback: readonly string[]) {
  return Type.Array(Type.String({ pattern: '^[^a-z]+$', maxLength: 200 }), {
    description,
    default: [...fallback],
    maxItems: 100,
    uniqueItems: true,
    examples: [['SANCTION', 'MIXER']],
  });
}

/** An address that Vigil sends requests to; it must not lead inwards. */
export function WebTarget(description: string, maxLength: number, options: { default?: string } = {}) {
  return Type.String({ pattern: '^https?.*', format: 'webTarget', maxLength, description, ...options });
}

export function Duration(description: string, fallback: string) {
  return Type.String({ description, format: 'duration', default: fallback });
}

/** Greatest age of money whose source counts; it is followed no longer than the format allows. */
export function FundingWindow(description: string, fallback: string) {
  return Type.String({ description, format: 'fundingWindow', default: fallback });
}

export function Schedule(description: string, fallback: string) {
  return Type.String({ description, format: 'schedule', default: fallback });
}

export function Condition(description: string, fallback?: string) {
  return Type.String({
    description,
    format: 'condition',
    ...(fallback === undefined ? {} : { default: fallback }),
  });
}

/** An amount in whole tokens as text, because amounts on chains do not fit a JSON number. */
export function Amount(description: string, fallback?: string) {
  return Type.String({
    description,
    format: 'amount',
    ...(fallback === undefined ? {} : { default: fallback }),
  });
}

/** An amount in whole tokens, or a share with `%` after it. */
export function AmountOrPercent(description: string, fallback: string) {
  return Type.String({ description, format: 'amountOrPercent', default: fallback });
}

/**
 * A share as a number of per cent. New members are `AmountOrPercent`, whose text shows the sign; members that were numbers
 * stay numbers, because clients send them.
 */
export function Percent(description: string, fallback: number, minimum: number, maximum = 100) {
  return Type.Number({ description, default: fallback, minimum, maximum });
}

/** A token by its address, or `native` for the chain's own coin. */
export function Asset(description: string) {
  return Type.String({ description, format: evmFormat.asset, default: 'native' });
}

export function Whole(description: string, fallback: number, minimum: number, maximum: number) {
  return Type.Integer({ description, default: fallback, minimum, maximum });
}

export function Flag(description: string, fallback: boolean) {
  return Type.Boolean({ description, default: fallback });
}

/** True if inner calls count as well. */
export function InnerCalls(fallback = true) {
  return Flag(
    'Whether calls that contracts make within transactions count as well, where nodes of the chain trace them.',
    fallback,
  );
}

export function Choice<const T extends readonly string[]>(
  description: string,
  values: T,
  fallback: T[number],
) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description, default: fallback });
}

/** Times at which the state of the chain is read; `scheduleOf` makes the schedule of a block interest of them. */
export function Polling(when: 'block' | 'cron', cron: string) {
  return {
    when: Choice(
      'Whether to look after every block, or only as often as `cron` says.',
      ['block', 'cron'],
      when,
    ),
    cron: Type.String({
      description: 'Interval of looking when `when` is cron: a length of time, or a cron expression.',
      format: 'schedule',
      default: cron,
    }),
  };
}

export function scheduleOf({ when, cron }: { when: 'block' | 'cron'; cron: string }) {
  return when === 'block' ? {} : { schedule: parseSchedule(cron) };
}

/** Every block, though no more than one a second where blocks come faster: what is asked then costs a read each time. */
export function everyLook({ blockTimeMs }: ChainFacts): Interest {
  return { on: 'block', ...(blockTimeMs < 1_000 && { schedule: parseSchedule('1 s') }) };
}

/** The configuration as a whole: every member optional or with a default, and no others. */
export function Configuration<const P extends Parameters<typeof Type.Object>[0]>(
  members: P,
  required: (keyof P & string)[] = [],
) {
  return Type.Unsafe<import('typebox').Static<ReturnType<typeof Type.Object<P>>>>({
    type: 'object',
    properties: members,
    required,
    additionalProperties: false,
  });
}
