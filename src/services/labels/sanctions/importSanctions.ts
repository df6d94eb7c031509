import { Problem, unprocessable } from '../../../model/errors.ts';
import type { Db } from '../../../store/db/db.ts';
import { deleteLiftedSanctions, upsertLabels } from '../../../store/labels/upsertLabels.ts';
import type { SanctionsFile } from './readSanctions.ts';

export type SanctionsImport = {
  tenantId: number | null;
  /** Of the labels; that of the list unless given. */
  source: string | undefined;
  /** Takes the good addresses although others have faults. */
  isPartial: boolean;
  now: number;
};

export type SanctionsResult = {
  format: string;
  source: string;
  created: number;
  updated: number;
  unchanged: number;
  /** Labels of this source that the list no longer has. */
  removed: number;
  unsupported: { currency: string; count: number }[];
  faultCount: number;
  faults: string[];
};

const batchSize = 5000;
const members = new Set(['name', 'tags', 'score', 'note'] as const);

/** Makes the labels of the source those of the list; `tx` must be a transaction, so that the list changes as a whole. */
export async function importSanctions(
  tx: Db,
  { tenantId, source: given, isPartial, now }: SanctionsImport,
  { format, labels: found, unsupported, faultCount, faults }: SanctionsFile,
): Promise<SanctionsResult> {
  if (faultCount > 0 && !isPartial) throw refused(faultCount, faults);
  // A list cut short or of another kind must not lift all sanctions.
  if (found.length === 0)
    throw unprocessable(
      '',
      'no-addresses',
      `There is no address in this list (${format.title}); nothing changed.`,
    );
  const source = given ?? format.source;
  const labels = found.map((label) => ({ ...label, source }));
  const result = { created: 0, updated: 0 };
  for (let index = 0; index < labels.length; index += batchSize) {
    const batch = await upsertLabels(tx, tenantId, labels.slice(index, index + batchSize), members, now);
    result.created += batch.created;
    result.updated += batch.updated;
  }
  const removed = await deleteLiftedSanctions(tx, tenantId, source, labels, now);
  return {
    format: format.title,
    source,
    ...result,
    unchanged: labels.length - result.created - result.updated,
    removed,
    unsupported: [...unsupported].map(([currency, count]) => ({ currency, count })),
    faultCount,
    faults,
  };
}

function refused(faultCount: number, faults: readonly string[]): Problem {
  const more = faultCount > faults.length ? ` The first ${faults.length} are listed.` : '';
  return new Problem(
    'unprocessable',
    `${faultCount} ${faultCount === 1 ? 'address has a fault' : 'addresses have faults'}, so nothing was imported.${more}`,
    { errors: faults.map((message) => ({ pointer: '', code: 'address', message })) },
  );
}
