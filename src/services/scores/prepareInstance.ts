import { Problem, unprocessable } from '../../model/errors.ts';
import { findRecord, type Row } from '../../store/records/records.ts';
import { resumeLanes } from '../../store/scores/resumeLanes.ts';
import type { instanceTable } from '../../store/tables/instanceTable.ts';
import { licenseTable } from '../../store/tables/licenseTable.ts';
import type { Call } from '../call.ts';
import type { ChangeOf } from '../records/recordKind.ts';

type LicenseStatus = 'PENDING' | 'LICENCED' | 'CANCELED';
type InstanceChange = ChangeOf<typeof instanceTable>;

const transitions: Record<LicenseStatus, readonly LicenseStatus[]> = {
  PENDING: ['LICENCED', 'CANCELED'],
  LICENCED: ['CANCELED'],
  CANCELED: [],
};

export async function prepareInstance(call: Call, { input, current }: InstanceChange): Promise<Row> {
  const next = input.licenseStatus;
  if (!current && next === 'CANCELED') {
    throw unprocessable(
      '/licenseStatus',
      'illegal-transition',
      'A license instance cannot be created as CANCELED, only as PENDING or LICENCED.',
    );
  }
  const before = current?.licenseStatus;
  if (next != null && before && next !== before && !transitions[before].includes(next)) {
    const possible = transitions[before].join(' or ') || 'nothing';
    throw new Problem(
      'illegal-transition',
      `licenseStatus is ${before}, which can become ${possible}, not ${next}.`,
    );
  }
  if (current && input.licenseId != null) await checkMove(call, current.license, input.licenseId);
  return input;
}

/** Resumes an instance that moved to another version or changed its status. */
export async function finishInstance(
  call: Call,
  { input, current, tenantId }: InstanceChange,
  id: number,
): Promise<void> {
  if (!current || tenantId === null) return;
  const isLicenseChanged = input.licenseId != null && input.licenseId !== current.license.id;
  const isStatusChanged =
    (input.status !== undefined && input.status !== current.status) ||
    (input.licenseStatus !== undefined && input.licenseStatus !== current.licenseStatus);
  if (isLicenseChanged || isStatusChanged)
    await resumeLanes(call.db, { tenantId, instanceId: id }, { isClockReset: true });
}

const nameOnly = ['name'] as const;

/** An instance moves between the versions of one license; another license needs an instance of its own. */
async function checkMove(call: Call, from: { name: string }, licenseId: number): Promise<void> {
  const to = await findRecord(call.db, licenseTable, call.visible, licenseId, nameOnly);
  if (to?.name === from.name) return;
  throw unprocessable(
    '/licenseId',
    'other-license',
    `The license is ${String(to?.name)}; this instance can move to other versions of ${from.name}.`,
  );
}
