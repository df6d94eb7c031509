import { Problem } from '../../model/errors.ts';
import type { Row } from '../../store/records/records.ts';
import { countRunningInstances, resumeLanes } from '../../store/scores/resumeLanes.ts';
import type { licenseTable } from '../../store/tables/licenseTable.ts';
import type { Call } from '../call.ts';
import type { ChangeOf } from '../records/recordKind.ts';
import { checkLicense } from './checkLicense.ts';

type LicenseChange = ChangeOf<typeof licenseTable>;

const frozenMembers = ['version', 'params', 'groupScript', 'scoreScript'] as const;

/** A license belongs to the organisation of its author; an administrator's belongs to the platform. */
export async function prepareLicense(call: Call, { input, current }: LicenseChange): Promise<Row> {
  const terms = await checkLicense(call, input, current);
  const tick = terms.tick ? String(terms.values.tick) : null;
  if (!current)
    return { ...input, tick, organisationId: call.scope.all ? null : call.scope.organisationIds[0] };
  await refuseIfRunning(call, input, current);
  return input.params === undefined ? input : { ...input, tick };
}

/** Resumes instances that a fault has stopped with the corrected license. */
export async function finishLicense(
  call: Call,
  { input, current }: LicenseChange,
  id: number,
): Promise<void> {
  if (!current) return;
  const isChanged = (name: keyof typeof input) => input[name] !== undefined && input[name] !== current[name];
  if (frozenMembers.some(isChanged) || isChanged('status'))
    await resumeLanes(
      call.db,
      { licenseId: id },
      { isClockReset: isChanged('status') || isChanged('params') },
    );
}

/** The scripts of a running instance do not change; those of a stopped one may be corrected. */
async function refuseIfRunning(
  call: Call,
  input: LicenseChange['input'],
  current: { id: number; version: string } & LicenseChange['input'],
): Promise<void> {
  const changed = frozenMembers.filter((name) => input[name] !== undefined && input[name] !== current[name]);
  if (changed.length === 0) return;
  const count = await countRunningInstances(call.db, current.id);
  if (count === 0) return;
  throw new Problem(
    'conflict',
    `${changed.join(', ')} cannot change: ${count} licensed ${count === 1 ? 'instance runs' : 'instances run'} version ` +
      `${current.version}. Create a license of the same name with another version, and move ` +
      `${count === 1 ? 'the instance' : 'the instances'} to it (PUT /instance/{id} with its licenseId).`,
  );
}
