import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import { listOf, recordOf } from '../net/members.ts';
import { resultOf } from '../net/replies.ts';
import type { SentTransaction } from '../transactor.ts';

type Found = { blockHash: string; blockNumber: number };

/** A block may claim to be two hours older than it is, and the clock that a payment was signed by may be fast. */
const timeSlackMs = 21_600_000;
const maxRemembered = 20_000;

/**
 * Finds the block of a transaction without a transaction index, which few nodes have: searches back from the newest
 * block to the time of signing. Only for transactions whose inputs are spent.
 */
export function createTransactionSearch({ request }: Endpoints) {
  const positions = createBoundedMap<string, Found>(maxRemembered);
  /** Pairs of block and transaction that do not belong together. */
  const misses = createBoundedMap<string, true>(maxRemembered);

  /** The block found earlier; the caller makes sure that it still counts. */
  function recall(hash: string): Found | undefined {
    return positions.get(hash);
  }

  async function search({ hash, signedAt }: SentTransaction): Promise<Found | undefined> {
    let current = await request([{ method: 'getbestblockhash', params: [] }], ([reply]) =>
      String(resultOf(reply)),
    );
    for (;;) {
      const isKnown = misses.has(`${current} ${hash}`);
      const method = isKnown ? 'getblockheader' : 'getblock';
      const block = await request([{ method, params: [current, isKnown ? true : 1] }], ([reply]) =>
        recordOf(resultOf(reply)),
      );
      if (!isKnown && listOf(block.tx, 'tx').includes(hash)) {
        const position = { blockHash: current, blockNumber: Number(block.height) };
        positions.set(hash, position);
        return position;
      }
      misses.set(`${current} ${hash}`, true);
      const { previousblockhash: parent } = block;
      if (Number(block.time) * 1000 < signedAt - timeSlackMs || typeof parent !== 'string') return undefined;
      current = parent;
    }
  }

  return { recall, search };
}
