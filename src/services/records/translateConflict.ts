import { Problem } from '../../model/errors.ts';
import { violatedUnique } from '../../store/db/db.ts';
import type { Table } from '../../store/tables/table.ts';

/** Reports the violation of a unique index as a conflict of the member that it protects. */
export async function translateConflict<T>(table: Table, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const index = violatedUnique(error);
    if (index === undefined) throw error;
    const unique = table.unique?.[index];
    const message = unique?.message ?? 'The same thing is bound twice; leave one of them out.';
    throw new Problem('conflict', message, {
      errors: [{ pointer: unique ? `/${unique.member}` : '', code: 'not-unique', message }],
    });
  }
}
