import type { StoredInhibition } from '../../store/destinations/inhibitions.ts';
import type { InhibitionRule } from '../decideNotification.ts';
import { type CompiledQuery, compileQuery } from './compileQuery.ts';

/** Both queries of an inhibition, each with the id by which it is found. */
export type CompiledInhibition = InhibitionRule & { source: CompiledQuery; target: CompiledQuery };

export function compileInhibition(
  { sourceQuery, targetQuery, ...inhibition }: StoredInhibition,
  now: number,
): CompiledInhibition {
  return {
    ...inhibition,
    source: compileQuery(sourceQuery, now),
    target: compileQuery(targetQuery, now),
  };
}
