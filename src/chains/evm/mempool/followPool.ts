import { setTimeout as sleep } from 'node:timers/promises';
import { createJsonIntake } from '../../../lib/createJsonIntake.ts';
import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import { InvalidJson } from '../../../lib/invalidJson.ts';
import { isRecord, membersOf } from '../../../lib/isRecord.ts';
import type { PendingKind } from '../../../model/pending.ts';
import { answerKinds } from '../../net/answerLimits.ts';
import { createRpc, type Rpc, type RpcReply } from '../../net/createRpc.ts';
import { type NodeSocket, openSocket } from '../../net/openSocket.ts';

export type PoolListener = {
  onBody(raw: unknown): void;
  onHash(hash: string): void;
  /** Its way to announce them, null if it does not. */
  onKind(kind: PendingKind | null): void;
  onCall(method: string): void;
};

export type PoolSource = {
  /** Asks this endpoint for the transactions of these hashes; those it does not have are missing. */
  bodies(hashes: readonly string[]): Promise<unknown[]>;
  stop(): void;
};

const timeoutMs = 10_000;
const pollMs = 100;
const poolPollMs = 1000;
/** Pause before endpoints are asked again for a refused subscription. */
const askAgainMs = 600_000;
const maxDelayMs = 30_000;
/** The largest transactions have 128 kB; no pool takes as many. */
const poolLimits = { maxBytes: () => answerKinds.single.maxBytes, maxFrames: 20_000, connectMs: timeoutMs };

/** Follows the pending transactions of one endpoint, over connections of its own, until it is stopped. */
export function followPool(url: string, listener: PoolListener): PoolSource {
  const rpc = createRpc(url);
  const stopping = new AbortController();
  const { signal } = stopping;
  const follow = url.startsWith('ws')
    ? () => subscribe(url, listener, signal)
    : () => poll(rpc, listener, signal);
  void keepFollowing(follow, rpc, listener, signal);
  return {
    async bodies(hashes) {
      listener.onCall('eth_getTransactionByHash');
      const calls = hashes.map((hash) => ({ method: 'eth_getTransactionByHash', params: [hash] }));
      const replies = await rpc.batch(calls, timeoutMs);
      return replies.flatMap((reply) => ('result' in reply && reply.result !== null ? [reply.result] : []));
    },
    stop() {
      stopping.abort();
      void rpc.close();
    },
  };
}

/** Reads the pool at each start, so nothing is missed while a connection was broken. */
async function keepFollowing(
  follow: () => Promise<'unsupported' | 'ended'>,
  rpc: Rpc,
  listener: PoolListener,
  signal: AbortSignal,
): Promise<void> {
  for (let delayMs = 500; !signal.aborted; ) {
    const startedAt = performance.now();
    void readPool(rpc, listener).catch(() => undefined);
    const ended = await follow().catch(() => 'ended' as const);
    if (signal.aborted) return;
    if (ended === 'unsupported') {
      const isPolled = await pollPool(rpc, listener, signal).catch(() => false);
      if (signal.aborted) return;
      if (!isPolled) listener.onKind(null);
      delayMs = isPolled ? 500 : askAgainMs;
    } else if (performance.now() - startedAt > 60_000) delayMs = 500;
    await sleep(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
    delayMs = Math.min(maxDelayMs, delayMs * 2);
  }
}

/** With bodies where the node knows that, else by hashes; what comes says which. */
function subscribe(
  url: string,
  { onBody, onHash, onKind, onCall }: PoolListener,
  signal: AbortSignal,
): Promise<'unsupported' | 'ended'> {
  return new Promise((resolve) => {
    let outcome: 'unsupported' | 'ended' = 'ended';
    const ask = (id: number, ...params: unknown[]) => {
      onCall('eth_subscribe');
      socket.send(
        JSON.stringify({
          jsonrpc: '2.0',
          id,
          method: 'eth_subscribe',
          params: ['newPendingTransactions', ...params],
        }),
      );
    };
    const finish = () => {
      signal.removeEventListener('abort', finish);
      socket.close();
      resolve(outcome);
    };
    const socket: NodeSocket = openSocket(url, poolLimits, {
      onOpen: () => ask(1, true),
      onMessage(pieces) {
        const message = parse(pieces);
        if (message.method === 'eth_subscription') {
          const { result } = membersOf(message.params);
          onKind(typeof result === 'string' ? 'hashes' : 'bodies');
          if (typeof result === 'string') onHash(result);
          else onBody(result);
        } else if (isRecord(message.error)) {
          if (message.id === 1) ask(2);
          else {
            outcome = 'unsupported';
            finish();
          }
        } else if (message.id !== undefined) onKind(message.id === 1 ? 'bodies' : 'hashes');
      },
      onClose: finish,
    });
    signal.addEventListener('abort', finish, { once: true });
  });
}

/** A filter of the node collects the hashes. */
async function poll(
  rpc: Rpc,
  { onHash, onKind, onCall }: PoolListener,
  signal: AbortSignal,
): Promise<'unsupported' | 'ended'> {
  onCall('eth_newPendingTransactionFilter');
  const made = await one(rpc, 'eth_newPendingTransactionFilter');
  if ('error' in made) return 'unsupported';
  onKind('hashes');
  while (!signal.aborted) {
    onCall('eth_getFilterChanges');
    const changes = await one(rpc, 'eth_getFilterChanges', made.result);
    // Nodes forget filters.
    if ('error' in changes || !Array.isArray(changes.result)) return 'ended';
    for (const hash of changes.result) if (typeof hash === 'string') onHash(hash);
    await sleep(pollMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  return 'ended';
}

/** False when the node does not show its pool. */
async function pollPool(rpc: Rpc, listener: PoolListener, signal: AbortSignal): Promise<boolean> {
  if (!(await readPool(rpc, listener))) return false;
  listener.onKind('pool');
  while (!signal.aborted) {
    await sleep(poolPollMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (!signal.aborted && !(await readPool(rpc, listener))) return true;
  }
  return true;
}

async function readPool(rpc: Rpc, { onBody, onCall }: PoolListener): Promise<boolean> {
  onCall('txpool_content');
  const reply = await one(rpc, 'txpool_content');
  if (!('result' in reply) || !isRecord(reply.result)) return false;
  for (const group of [reply.result.pending, reply.result.queued])
    for (const entry of Object.values(membersOf(group)))
      for (const raw of Object.values(membersOf(entry))) {
        onBody(raw);
        await yieldToEventLoop();
      }
  return true;
}

async function one(rpc: Rpc, method: string, ...params: unknown[]): Promise<RpcReply> {
  const [reply] = await rpc.batch([{ method, params }], timeoutMs);
  if (!reply) throw new Error('A reply is missing.');
  return reply;
}

function parse(pieces: readonly Buffer[]): Readonly<Record<string, unknown>> {
  const intake = createJsonIntake(answerKinds.single);
  try {
    for (const piece of pieces) intake.write(piece);
    return membersOf(intake.end());
  } catch (error) {
    if (error instanceof InvalidJson) return {};
    throw error;
  }
}
