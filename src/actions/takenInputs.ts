import { findInputsUnderWay } from '../store/actions/signing.ts';
import type { Db } from '../store/db/db.ts';
import type { ActionContext } from './actionContext.ts';

/** The inputs that calls of the address under way spend; none on chains where a transaction spends no inputs. */
export async function findTakenInputs(
  { transactor, aliases, store }: Pick<ActionContext, 'transactor' | 'aliases'> & { store: Db },
  address: string,
): Promise<string[]> {
  if (transactor.replaces !== 'samePlace' || transactor.lane) return [];
  return findInputsUnderWay(store, { aliases, address });
}
