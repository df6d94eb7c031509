import { type Fault, Problem } from '../../model/errors.ts';
import { invalidInput } from '../../model/validate.ts';
import { lockRecords, type Row } from '../../store/records/records.ts';
import { destinationTable } from '../../store/tables/destinationTable.ts';
import type { escalationChainTable } from '../../store/tables/escalationChainTable.ts';
import { scheduleTable } from '../../store/tables/scheduleTable.ts';
import { nounOf, type Table } from '../../store/tables/table.ts';
import { userTable } from '../../store/tables/userTable.ts';
import type { Call } from '../call.ts';
import { type ChangeOf, tenantOf } from '../records/recordKind.ts';

type Change = ChangeOf<typeof escalationChainTable>;
type Step = NonNullable<Change['input']['steps']>[number];

const targets = { userId: userTable, scheduleId: scheduleTable, destinationId: destinationTable } as const;
type Member = keyof typeof targets;
const members = Object.keys(targets) as Member[];

/** Refuses steps that call no one or two, records that the tenant does not have, and rounds that follow each other without a pause. */
export async function prepareChain(call: Call, change: Change): Promise<Row> {
  const { input, current } = change;
  const steps = input.steps ?? current?.steps ?? [];
  const repeat = input.repeat ?? current?.repeat ?? 0;
  const faults = (input.steps ?? []).flatMap(stepFaults);
  if (repeat > 0 && steps.every(({ waitMinutes }) => waitMinutes === 0))
    faults.push({
      pointer: '/repeat',
      code: 'no-pause',
      message: 'needs a step that waits: all rounds would come in the same instant.',
    });
  if (faults.length > 0) throw invalidInput(faults);
  if (input.steps === undefined) return input;
  const named = {
    userIds: await checkTargets(call, tenantOf(change), input.steps, 'userId'),
    scheduleIds: await checkTargets(call, tenantOf(change), input.steps, 'scheduleId'),
    destinationIds: await checkTargets(call, tenantOf(change), input.steps, 'destinationId'),
  };
  return { ...input, ...named };
}

function stepFaults(step: Step, index: number): Fault[] {
  const named = members.filter((member) => step[member] != null);
  if (named.length === 1) return [];
  const message =
    named.length === 0
      ? 'calls no one: give `userId`, `scheduleId` or `destinationId`.'
      : `names ${named.join(' and ')}: make a step of each.`;
  return [{ pointer: `/steps/${index}`, code: 'one-target', message }];
}

async function checkTargets(
  call: Call,
  tenantId: number,
  steps: readonly Step[],
  member: Member,
): Promise<number[]> {
  const ids = [...new Set(steps.flatMap((step) => step[member] ?? []))];
  if (ids.length === 0) return [];
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  const table: Table = targets[member];
  const found = await lockRecords(call.db, table, scope, ids, 'read');
  const errors = steps.flatMap((step, index): Fault[] => {
    const id = step[member];
    if (id == null || found.has(id)) return [];
    const message = `There is no ${nounOf(table)} with this id.`;
    return [{ pointer: `/steps/${index}/${member}`, code: 'unknown-reference', message }];
  });
  if (errors.length > 0)
    throw new Problem(
      'unprocessable',
      errors.map(({ pointer, message }) => `${pointer}: ${message}`).join(' '),
      {
        errors,
      },
    );
  return ids.sort((a, b) => a - b);
}
