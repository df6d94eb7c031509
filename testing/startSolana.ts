import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58, base64 } from '@scure/base';
import { chains } from '../src/chains/chains.ts';
import { transferCoins } from '../src/chains/solana/instructions.ts';
import { encodeMessage, encodeTransaction, type Instruction } from '../src/chains/solana/message.ts';
import { acceptSocket } from './simulator/acceptSocket.ts';
import type { Json } from './startTestApi.ts';
import { until } from './until.ts';

export type Solana = Awaited<ReturnType<typeof startSolana>>;
export type Key = { secret: Uint8Array; address: string };

/** The real virtual machine as a node in this process; undefined on machines that its package is not built for. */
export function findSurfnet(): Json | undefined {
  try {
    const load = createRequire(import.meta.url);
    return (load('@solana/surfpool-linux-x64-gnu') as Json).Surfnet;
  } catch {
    return undefined;
  }
}

export const noSurfnet = 'The package of the Solana node is not built for this machine.';

/** A key pair that is the same for the same seed. */
export function keyOf(seed: number): Key {
  const secret = new Uint8Array(32).fill(seed);
  return { secret, address: base58.encode(ed25519.getPublicKey(secret)) };
}

/** A block as the proxy shows it, and the slot in which the node made it. */
type Shown = { slot: number; real: number; hash: string; parentHash: string };

/**
 * A node with a proxy before it. The node runs every transaction on the real virtual machine, in a block of its own. Where it
 * deviates from a validator the proxy makes up for it, and where validators do more the proxy stands in:
 * - The node never skips a slot and never forks: `skip` leaves slots empty, `fork` forgets blocks, and those that come then
 *   have the one before as their parent. The state of accounts is not taken back, as nothing else of the node is.
 * - Its `parentSlot` is the slot itself, its `blockTime` a thousandth: the proxy writes both, a second for each slot.
 * - It finalizes 31 slots later; the proxy says 32. It has no genesis of its own: the proxy says that of the main network.
 * - It takes no batches, and slots are announced only when the node has a block for them.
 */
export async function startSolana(surfnet: Json) {
  const node: Json = surfnet.startWithConfig({
    offline: true,
    blockProductionMode: 'transaction',
    // Without it empty blocks that do not link come by the clock.
    slotTimeMs: 400,
  });
  const payer: Key = {
    secret: Uint8Array.from(node.payerSecretKey as number[]).slice(0, 32),
    address: String(node.payer),
  };
  const startedAt = Math.floor(Date.now() / 1000);
  const calls: string[] = [];
  const listeners = new Set<(text: string) => void>();
  let branch: Shown[] = [];
  let lastReal = 0;
  let skipped = 0;
  let isDown = false;
  let isDeaf = false;

  async function ask(method: string, params: readonly unknown[] = []): Promise<Json> {
    const reply = await fetch(node.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      // Once in hundreds of runs it has not answered.
      signal: AbortSignal.timeout(20_000),
    });
    return (await reply.json()) as Json;
  }
  const result = async (method: string, ...params: unknown[]): Promise<Json> => {
    const { result: value, error } = await ask(method, params);
    if (error) throw new Error(`The node refused ${method}: ${error.message}`);
    return value;
  };

  const commitment = { commitment: 'confirmed' };
  let syncing: Promise<void> = Promise.resolve();
  /** Takes up the blocks that the node has made meanwhile. */
  function sync(): Promise<void> {
    const former = syncing.catch(() => {});
    syncing = former.then(async () => {
      const newest = (await ask('getSlot', [commitment])).result as number;
      for (let real = Math.max(lastReal + 1, newest - 400); real <= newest; real++) {
        const { result: block } = await ask('getBlock', [
          real,
          { ...commitment, transactionDetails: 'none', rewards: false },
        ]);
        if (!block) continue;
        const parent = branch.at(-1);
        const slot = (parent?.slot ?? real - 1) + 1 + skipped;
        skipped = 0;
        branch.push({
          slot,
          real,
          hash: block.blockhash,
          parentHash: parent?.hash ?? block.previousBlockhash,
        });
        for (const send of listeners)
          send(
            JSON.stringify({
              jsonrpc: '2.0',
              method: 'slotNotification',
              params: { result: { parent: slot, root: 0, slot: slot + 1 }, subscription: 1 },
            }),
          );
      }
      lastReal = Math.max(lastReal, newest);
    });
    return syncing;
  }

  const shown = (real: unknown) => branch.find((block) => block.real === real);
  const newest = () => branch.at(-1)?.slot ?? 0;

  async function handle(method: string, params: Json): Promise<Json> {
    calls.push(method);
    await sync();
    switch (method) {
      case 'getGenesisHash':
        return { result: chains.solana.genesis };
      case 'getSlot':
        return {
          result:
            params[0]?.commitment === 'finalized' ? Math.max(branch[0]?.slot ?? 0, newest() - 32) : newest(),
        };
      case 'getFirstAvailableBlock':
        return { result: branch[0]?.slot ?? 0 };
      case 'getBlocks':
        return {
          result: branch.flatMap(({ slot }) => (slot >= params[0] && slot <= params[1] ? [slot] : [])),
        };
      case 'getBlock': {
        const block = branch.find(({ slot }) => slot === params[0]);
        if (!block)
          return {
            error:
              params[0] > newest()
                ? { code: -32004, message: `Block not available for slot ${params[0]}` }
                : {
                    code: -32007,
                    message: `Slot ${params[0]} was skipped, or missing due to ledger jump to recent snapshot`,
                  },
          };
        const reply = await ask(method, [block.real, params[1]]);
        const at = branch.indexOf(block);
        return {
          result: {
            ...reply.result,
            blockhash: block.hash,
            previousBlockhash: block.parentHash,
            parentSlot: branch[at - 1]?.slot ?? block.slot - 1,
            blockTime: startedAt + block.slot,
          },
        };
      }
      case 'getTransaction': {
        const { result: found } = await ask(method, params as unknown[]);
        const block = found && shown(found.slot);
        return { result: block ? { ...found, slot: block.slot, blockTime: startedAt + block.slot } : null };
      }
      case 'getSignatureStatuses': {
        const { result: found } = await ask(method, params as unknown[]);
        const final = newest() - 32;
        return {
          result: {
            context: { slot: newest() },
            value: (found.value as Json[]).map((status) => {
              const block = status && shown(status.slot);
              return block
                ? {
                    ...status,
                    slot: block.slot,
                    confirmationStatus: block.slot <= final ? 'finalized' : 'confirmed',
                  }
                : null;
            }),
          },
        };
      }
      case 'sendTransaction':
        if (isDeaf) return { result: base58.encode(base64.decode(params[0]).slice(1, 65)) };
        return ask(method, params as unknown[]);
      default:
        return ask(method, params as unknown[]);
    }
  }

  const answer = async ({ id, method, params = [] }: Json) => {
    const { result: value, error } = await handle(method, params);
    return { jsonrpc: '2.0', id, ...(error ? { error } : { result: value }) };
  };
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (isDown) return void response.writeHead(503).end();
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Json;
      const replies = Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(replies));
    })().catch(() => response.destroy());
  });
  server.on('upgrade', (request: IncomingMessage, stream: Duplex) => {
    const socket = acceptSocket(request, stream, {
      text: () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, result: 1 })),
      close: () => listeners.delete(send),
    });
    const send = (text: string) => socket.send(text);
    listeners.add(send);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  /** Sends a transaction and waits until it is in a block; the payer signs as well. */
  async function send(instructions: readonly Instruction[], ...signers: readonly Key[]): Promise<string> {
    const { blockhash } = (await result('getLatestBlockhash', commitment)).value as { blockhash: string };
    const { bytes, signers: wanted } = encodeMessage(payer.address, blockhash, instructions);
    const keys = [payer, ...signers];
    const signatures = wanted.map((address) => {
      const key = keys.find((each) => each.address === address);
      if (!key) throw new Error(`There is no key of ${address}.`);
      return ed25519.sign(bytes, key.secret);
    });
    const raw = base64.encode(encodeTransaction(signatures, bytes));
    const signature = (await result('sendTransaction', raw, {
      encoding: 'base64',
      skipPreflight: true,
    })) as unknown as string;
    await until(
      async () =>
        (await handle('getTransaction', [signature, { encoding: 'json', ...commitment }])).result !== null,
    );
    return signature;
  }

  return {
    url: `http://127.0.0.1:${port}/`,
    wsUrl: `ws://127.0.0.1:${port}/`,
    payer,
    node,
    rpc: result,
    send,
    pay: (to: string, lamports: bigint) => send([transferCoins(payer.address, to, lamports)]),
    /** Methods that were called through the proxy. */
    calls,
    async slot() {
      await sync();
      return newest();
    },
    /** The next block comes so many slots later. */
    skip(slots: number) {
      skipped += slots;
    },
    /** Takes the last blocks back. */
    async fork(depth: number) {
      await sync();
      branch = branch.slice(0, -depth);
    },
    /** From now on, or not any more, it takes transactions that others send and loses them. */
    setDeaf(value: boolean) {
      isDeaf = value;
    },
    setDown(value: boolean) {
      isDown = value;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      node.stop();
    },
  };
}
