import { zeroAddress } from '../../codecs/evm/words.ts';
import type { Block, Log } from '../../model/block.ts';
import { logsBloom } from './logsBloom.ts';

/** Says what is wrong with the logs of a block, judged by its bloom; `own` is that of the logs where it is known. */
export type LogsCheck = (block: Block, bloom: unknown, own?: Buffer) => string | undefined;

/** How long every endpoint must stand by logs that do not fit before they are taken: blooms may be odd, but logs cannot be done without. */
const patienceMs = { exact: 60_000, unknown: 3000 };
const maxDoubts = 100;

/**
 * The bloom reveals logs that are missing or made up. Some chains send a constant in its place or compute it in a way of
 * their own, so it is relied on as far as it has proven exact.
 */
export function createLogsCheck(now: () => number): LogsCheck {
  let trust: 'unknown' | 'exact' | 'odd' = 'unknown';
  const doubts = new Map<string, number>();

  return (block, bloom, own) => {
    if (typeof bloom !== 'string' || fullBloom.test(bloom)) return undefined;
    const logs = countedLogs(block);
    const isEmpty = noBloom.test(bloom);
    if (isEmpty && (logs.length === 0 || trust !== 'exact')) return undefined;
    if (!isEmpty && (own ?? logsBloom(logs)).toString('hex') === bloom.slice(2).toLowerCase()) {
      trust = 'exact';
      doubts.clear();
      return undefined;
    }
    if (trust === 'odd') return undefined;
    if (logs.length === 0) return 'the logs of the block are missing';
    const since = doubts.get(block.hash) ?? now();
    if (now() > since + patienceMs[trust]) {
      if (trust === 'unknown') trust = 'odd';
      return undefined;
    }
    if (doubts.size >= maxDoubts) doubts.clear();
    doubts.set(block.hash, since);
    return 'the logs of the block do not fit its bloom';
  };
}

const noBloom = /^0x0*$/;
const fullBloom = /^0xf+$/i;

/** Polygon's transfers from the other chain come from the zero address and are not in the bloom. */
export function countedLogs({ transactions, logs }: Block): readonly Log[] {
  const isApart = transactions.map(({ from, to }) => from === zeroAddress && to === zeroAddress);
  return isApart.includes(true) ? logs.filter(({ transactionIndex }) => !isApart[transactionIndex]) : logs;
}
