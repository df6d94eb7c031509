import { EvmLog } from '../../../codecs/evm/evmLog.ts';
import { topicAddress, wordAt } from '../../../codecs/evm/words.ts';
import { isRecord } from '../../../lib/isRecord.ts';
import type { Frame, Log } from '../../../model/block.ts';
import type { PendingTransaction } from '../../../model/pending.ts';
import { InvalidResponse } from '../../net/replies.ts';
import { flattenCalls } from '../traces/decodeFrames.ts';

type Raw = Readonly<Record<string, unknown>>;

/** Effects of a transaction as a node reports them. */
export type SimulatedRun = { isSuccess: boolean; logs: Log[]; frames: Frame[] };

/** The tree of calls that `debug_traceCall` gives, with the logs of each call. */
export function decodeTracedCall(transaction: PendingTransaction, raw: unknown): SimulatedRun {
  const root = record(raw);
  const frames = flattenCalls(root);
  const [first] = frames;
  if (first?.from !== transaction.from || (transaction.to !== null && first.to !== transaction.to))
    throw new InvalidResponse('it traced another transaction');
  const isSuccess = !first.isReverted;
  const logs = isSuccess ? logsOf(root).map((log, index) => toLog(transaction, log, index)) : [];
  return { isSuccess, logs, frames };
}

/** In the order in which they were emitted: a log says after how many inner calls of its call it comes. */
function logsOf(root: Raw): Raw[] {
  const found: Raw[] = [];
  type Step = { call: Raw } | { log: Raw };
  const waiting: Step[] = [{ call: root }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if ('log' in next) {
      found.push(next.log);
      continue;
    }
    const { call } = next;
    if (typeof call.error === 'string') continue;
    const inner = listOf(call.calls);
    const logs = listOf(call.logs);
    const steps: Step[] = [];
    let emitted = 0;
    for (let index = 0; index <= inner.length; index++) {
      for (let log = logs[emitted]; log && Number(log.position ?? 0) <= index; log = logs[++emitted])
        steps.push({ log });
      const made = inner[index];
      if (made) steps.push({ call: made });
    }
    waiting.push(...steps.reverse());
  }
  return found;
}

/** Coins that move within are logs of this address in `eth_simulateV1` with `traceTransfers`. */
const coinLogs = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';

/** The first call of a simulated block. */
export function decodeSimulatedCall(transaction: PendingTransaction, raw: unknown): SimulatedRun {
  const call = record(raw);
  const isSuccess = call.status === '0x1';
  const all = isSuccess ? listOf(call.logs) : [];
  const isCoin = ({ address }: Raw) => address === coinLogs;
  const coins = all.filter(isCoin).flatMap((log) => {
    const { indexed, data } = toLog(transaction, log, 0);
    const [from, to] = indexed;
    return from && to ? [{ from: topicAddress(from), to: topicAddress(to), value: wordAt(data, 0) }] : [];
  });
  return {
    isSuccess,
    logs: all.filter((log) => !isCoin(log)).map((log, index) => toLog(transaction, log, index)),
    frames: toFrames(transaction, coins),
  };
}

/** The transaction itself, which the node reports as the first coins that move if it carries some, and what moves within. */
function toFrames(
  { from, to, input, raw }: PendingTransaction,
  coins: readonly Pick<Frame, 'from' | 'to' | 'value'>[],
): Frame[] {
  const value = typeof raw.value === 'string' ? BigInt(raw.value) : 0n;
  const root: Frame = {
    type: to === null ? 'CREATE' : 'CALL',
    depth: 0,
    parent: -1,
    from,
    to: to ?? '',
    value,
    input,
    isReverted: false,
  };
  const within = coins.slice(value > 0n ? 1 : 0);
  return [
    root,
    ...within.map(
      (moved): Frame => ({ ...moved, type: 'CALL', depth: 1, parent: 0, input: '0x', isReverted: false }),
    ),
  ];
}

function toLog({ hash }: PendingTransaction, { address, topics, data }: Raw, index: number): Log {
  const names = Array.isArray(topics) ? topics.filter((topic) => typeof topic === 'string') : [];
  if (typeof address !== 'string') throw new InvalidResponse('a log has no address');
  return new EvmLog({
    address: address.toLowerCase(),
    topics: names,
    data: typeof data === 'string' ? data : '0x',
    index,
    transactionHash: hash,
    transactionIndex: 0,
  });
}

function listOf(value: unknown): Raw[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function record(value: unknown): Raw {
  if (!isRecord(value)) throw new InvalidResponse('a simulation is not a record');
  return value;
}
