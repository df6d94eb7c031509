import { zeroAddress } from '../../codecs/evm/words.ts';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import type { Block, Log } from '../../model/block.ts';
import { logsBloom } from './logsBloom.ts';

/** Says what is wrong with the logs of a block, judged by its bloom; `own` is that of the logs where it is known. */
export type LogsFault = (block: Block, bloom: unknown, computed?: Buffer) => string | undefined;
export type LogsCheck = {
  fault: LogsFault;
  /** True if the block certainly has no logs: it has no transactions, and its bloom, as those before were right, says so. */
  isEmpty(block: { readonly transactions?: unknown; readonly logsBloom?: unknown }): boolean;
};

/**
 * Time for which every endpoint must repeat logs that do not fit before they count: blooms may be odd, but evaluation
 * needs logs.
 */
const patienceMs = { exact: 60_000, unknown: 3000 };
const maxDoubts = 100;

/**
 * Checks logs against the bloom, which reveals missing and invented ones. Some chains send odd blooms, so trust grows
 * with exact ones.
 */
export function createLogsCheck(now: () => number): LogsCheck {
  let trust: 'unknown' | 'exact' | 'odd' = 'unknown';
  const doubts = createBoundedMap<string, number>(maxDoubts);

  const fault: LogsFault = (block, bloom, computed) => {
    if (typeof bloom !== 'string' || fullBloom.test(bloom)) return undefined;
    const logs = countedLogs(block);
    const isEmpty = noBloom.test(bloom);
    if (isEmpty && (logs.length === 0 || trust !== 'exact')) return undefined;
    if (!isEmpty && (computed ?? logsBloom(logs)).toString('hex') === bloom.slice(2).toLowerCase()) {
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
    doubts.set(block.hash, since);
    return 'the logs of the block do not fit its bloom';
  };

  return {
    fault,
    isEmpty: ({ transactions, logsBloom: bloom }) =>
      trust === 'exact' &&
      Array.isArray(transactions) &&
      transactions.length === 0 &&
      typeof bloom === 'string' &&
      noBloom.test(bloom),
  };
}

const noBloom = /^0x0*$/;
const fullBloom = /^0xf+$/i;

/** Polygon's transfers from the other chain come from the zero address and are not in the bloom. */
export function countedLogs({ transactions, logs }: Block): readonly Log[] {
  const isApart = transactions.map(({ from, to }) => from === zeroAddress && to === zeroAddress);
  return isApart.includes(true) ? logs.filter(({ transactionIndex }) => !isApart[transactionIndex]) : logs;
}
