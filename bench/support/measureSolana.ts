import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { base58 } from '@scure/base';
import { chains } from '../../src/chains/chains.ts';
import { createSolanaClient } from '../../src/chains/solana/createSolanaClient.ts';
import { familyRow, processorMs } from './familyRow.ts';

const perSlot = 1500;
const touchedPerSlot = 5;
const slots = 40;
const address = (n: number) =>
  base58.encode(Uint8Array.from({ length: 32 }, (_, at) => (n >> (8 * (at % 4))) & 255 || at + 1));
const signature = (slot: number, n: number) =>
  base58.encode(Uint8Array.from({ length: 64 }, (_, at) => (at < 4 ? n >> (8 * at) : slot + at) & 255));
/** Those who pay the first transactions of every slot. */
const watched = new Set(Array.from({ length: touchedPerSlot }, (_, n) => address(n)));

/** A slot of the size that the main network has: most transactions are votes and swaps. */
function slotOf(slot: number) {
  return {
    blockhash: address(1_000_000 + slot),
    previousBlockhash: address(1_000_000 + slot - 1),
    parentSlot: slot - 1,
    blockTime: 1_700_000_000 + slot,
    transactions: Array.from({ length: perSlot }, (_, n) => {
      const keys = Array.from({ length: n % 3 === 0 ? 24 : 4 }, (_unused, at) =>
        address(at === 0 ? n : 10_000 + ((n * 31 + at) % 4000)),
      );
      const balances = keys.map((_key, at) => 1_000_000_000 + at);
      const tokens =
        n % 3 === 0
          ? [1, 2, 3, 4].map((accountIndex) => ({
              accountIndex,
              mint: address(9_000_000 + (n % 50)),
              owner: address(8_000_000 + n + accountIndex),
              uiTokenAmount: { amount: String(1000 * accountIndex), decimals: 6 },
            }))
          : [];
      return {
        meta: {
          err: n % 20 === 7 ? { InstructionError: [0, 'Custom'] } : null,
          fee: 5000,
          preBalances: balances,
          postBalances: balances.map((value, at) => value - (at === 0 ? 5000 : 0)),
          preTokenBalances: tokens,
          postTokenBalances: tokens,
        },
        transaction: {
          signatures: [signature(slot, n)],
          accountKeys: keys.map((pubkey, at) => ({
            pubkey,
            signer: at === 0,
            writable: at < 3,
            source: 'transaction',
          })),
        },
        version: 0,
      };
    }),
  };
}

/** What a slot takes from the request to all that a watched address takes part in, beside fetching and parsing it alone. */
export async function measureSolana(): Promise<string> {
  const blocks = new Map(Array.from({ length: slots }, (_, n) => [n + 1, JSON.stringify(slotOf(n + 1))]));
  const answer = ({ id, method, params }: { id: number; method: string; params: [never] }): string => {
    const [first] = params as [string | number | undefined];
    const result =
      method === 'getBlock'
        ? blocks.get(Number(first))
        : method === 'getTransaction'
          ? JSON.stringify({
              slot: slotOfSignature.get(String(first)),
              meta: { innerInstructions: [], logMessages: [] },
              transaction: { signatures: [first], message: { accountKeys: [], instructions: [] } },
            })
          : JSON.stringify(method === 'getGenesisHash' ? chains.solana.genesis : slots);
    return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
  };
  const slotOfSignature = new Map(
    Array.from(blocks.keys(), (slot) =>
      Array.from({ length: touchedPerSlot }, (_, n) => [signature(slot, n), slot] as const),
    ).flat(),
  );
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as never;
      response.end(Array.isArray(body) ? `[${(body as never[]).map(answer).join()}]` : answer(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  let calls = 0;
  const client = createSolanaClient({
    chain: chains.solana,
    urls: [url],
    now: Date.now,
    onCall: () => calls++,
  });
  await client.header('latest');
  const alone = await processorMs(slots, async (round) => {
    const slot = round + 1;
    const reply = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ id: 1, method: 'getBlock', params: [slot] }),
    });
    JSON.parse(await reply.text());
  });
  let asked = 0;
  const whole = await processorMs(slots, async (round) => {
    const slot = round + 1;
    calls = 0;
    const block = await client.block(slot);
    const whole =
      block &&
      (await client.detail?.(block, {
        has: (each) => watched.has(each),
        addresses: () => watched.keys(),
        version: () => 0,
      }));
    const found = whole?.transactions.filter(({ from }) => watched.has(from)).length;
    if (found !== touchedPerSlot)
      throw new Error(`${found} transactions were found, and ${touchedPerSlot} were due.`);
    asked = calls;
  });
  await client.close();
  server.close();
  const megabytes = (blocks.get(1)?.length ?? 0) / 1e6;
  const label = `Solana: a slot of ${perSlot.toLocaleString('en')} transactions (${megabytes.toFixed(1)} MB), ${touchedPerSlot} of them of watched addresses`;
  return familyRow(label, asked, alone, whole);
}
