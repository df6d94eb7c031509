import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { chains } from '../../src/chains/chains.ts';
import { createTracer } from '../../src/chains/evm/traces/createTracer.ts';
import { toChainFacts } from '../../src/chains/toChainFacts.ts';
import { netChanges } from '../../src/evidence/evm/netChanges.ts';
import { compileDetector } from '../../src/matching/compileDetector.ts';
import type { ReadRequest } from '../../src/matching/createReadCache.ts';
import { createSubscriptionIndex } from '../../src/matching/createSubscriptionIndex.ts';
import { evaluateMatches } from '../../src/matching/evaluateMatches.ts';
import type { Block, Transaction } from '../../src/model/block.ts';

export type LargeOrder = { url: string; sender: string; vault: string };
export type LargeFigures = {
  frames: number;
  seconds: number;
  cpuSeconds: number;
  /** How long the event loop was held at a time, and how much of it this thread ran: others may share the machine. */
  longestMs: number;
  longestCpuMs: number;
  rssMb: number;
};

/** Reads, decodes, matches and judges an enormous trace as the watcher does, and nets its balances as the API does. */
process.once('message', (order: LargeOrder) => void read(order).then((figures) => process.send?.(figures)));

async function read({ url, sender, vault }: LargeOrder): Promise<LargeFigures> {
  const transaction = { hash: '0x01', index: 0, from: sender, to: vault, logs: [] } as Partial<Transaction>;
  const block = {
    chainUid: 'ethereum',
    number: 1,
    hash: '0xb1',
    parentHash: '0xb0',
    timestamp: 0,
    logs: [],
    transactions: [transaction as Transaction],
  } as Partial<Block> as Block;
  const index = createSubscriptionIndex();
  for (const schemaName of ['reentrancy', 'drain', 'suspicious_deployment', 'price_manipulation'])
    index.add(compile(schemaName, vault));
  const tracer = createTracer({ urls: [url], now: Date.now, onCall: () => {} });
  const over = new AbortController();
  const held = watchHolds(over.signal);
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const frames = await tracer.frames(block);
  const matches = await index.matchTracesInTurns(block, frames);
  const { findings } = await evaluateMatches(matches, () => undefined, answerAll);
  const changes = await netChanges(block.transactions[0]!, frames[0]!);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(before);
  over.abort();
  const holds = await held;
  await tracer.close();
  if (findings.length === 0 || changes.length === 0) throw new Error('Nothing was found in the trace.');
  return {
    frames: frames[0]!.length,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    ...holds,
    rssMb: process.memoryUsage().rss / 1e6,
  };
}

async function watchHolds(signal: AbortSignal): Promise<Pick<LargeFigures, 'longestMs' | 'longestCpuMs'>> {
  let [longestMs, longestCpuMs] = [0, 0];
  while (!signal.aborted) {
    const [at, ran] = [performance.now(), threadCpuMs()];
    await sleep(1);
    longestMs = Math.max(longestMs, performance.now() - at);
    longestCpuMs = Math.max(longestCpuMs, threadCpuMs() - ran);
  }
  return { longestMs, longestCpuMs };
}

/** What Linux says; Node tells it only of the process, whose garbage collector has threads of its own. */
function threadCpuMs(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

function compile(schemaName: string, address: string) {
  const contract = {
    id: 1,
    tenantId: 1,
    projectId: 1,
    chainUid: 'ethereum' as const,
    address,
    implementation: null,
    name: 'Vault',
    addressType: 'CONTRACT',
    abi: [],
  };
  const row = { id: 1, name: schemaName, schemaName, tags: [], config: {} };
  const compiled = compileDetector(row, contract, toChainFacts(chains.ethereum));
  if ('fault' in compiled) throw new Error(compiled.fault);
  return compiled;
}

async function answerAll(requests: readonly ReadRequest[]): Promise<unknown[]> {
  return requests.map((request) => {
    if (request.type === 'labels') return [];
    if (request.type === 'funding') return null;
    if (request.type !== 'chain') return { missing: 'it is not here' };
    return { value: request.question.type === 'balance' ? 10n ** 18n : { failure: 'execution reverted' } };
  });
}
