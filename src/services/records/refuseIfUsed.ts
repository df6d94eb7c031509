import { Problem } from '../../model/errors.ts';
import { countUses, type UseOf } from '../../store/records/countUses.ts';
import type { Call } from '../call.ts';

/** Something else still stands on the record: it has to go or change first. */
export async function refuseIfUsed(call: Call, use: UseOf, id: number, words: string): Promise<void> {
  const count = await countUses(call.db, use, id);
  if (count > 0)
    throw new Problem(
      'conflict',
      `${count} ${words}; delete or change ${count === 1 ? 'it' : 'them'} first.`,
    );
}
