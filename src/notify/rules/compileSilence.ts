import { compileTimeSet } from '../../query/timeSets/timeSet.ts';
import type { OpenSilence } from '../../store/destinations/silences.ts';
import type { SilenceRule } from '../decideNotification.ts';
import { type CompiledQuery, compileQuery } from './compileQuery.ts';

export type CompiledSilence = SilenceRule & CompiledQuery;

export function compileSilence({ query, timeSet, ...silence }: OpenSilence, now: number): CompiledSilence {
  return {
    ...silence,
    timeSet: timeSet ? compileTimeSet(timeSet) : undefined,
    ...compileQuery(query, now),
  };
}
