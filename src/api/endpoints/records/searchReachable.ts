import { Problem } from '../../../model/errors.ts';
import { List, Text } from '../../../model/schema.ts';
import type { Call } from '../../../services/call.ts';
import type { DocumentScope } from '../../../store/search/documents/documentTable.ts';
import { findReachable } from '../../../store/search/findReachable.ts';

export const partial = List(
  Text('A database worker that does not answer.', 'worker 2'),
  'Only where a search over all tenants lacks the documents of some workers: their names.',
);

/**
 * Searches a scope. Of everybody's documents, those on workers that answer serve better than none: `find` gets that scope, and the
 * names of the workers that are missing.
 */
export async function searchReachable<T>(
  call: Call,
  scope: DocumentScope,
  find: (scope: DocumentScope, missing?: string[]) => Promise<T>,
): Promise<T> {
  try {
    return await find(scope);
  } catch (error) {
    const isOfAll = call.scope.all && scope.tenantIds?.length !== 1;
    if (!isOfAll || !(error instanceof Problem) || error.code !== 'unavailable') throw error;
    const part = await findReachable(call.services.reports, scope);
    if (!part) throw error;
    return await find(part.scope, part.missing);
  }
}

/** An export is given whole or not at all: who reads the file later does not see what it lacks. */
export function exportReachable<T>(
  call: Call,
  scope: DocumentScope,
  find: (scope: DocumentScope) => Promise<T>,
): Promise<T> {
  return searchReachable(call, scope, (within, missing) => {
    if (missing)
      throw new Problem(
        'unavailable',
        `An export over all tenants would lack what ${missing.join(' and ')} of the database has, which does not answer ` +
          'at the moment; export single tenants, or send the request again later.',
        { retryAfterSeconds: 2 },
      );
    return find(within);
  });
}
