import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChainUid, chains, withNetwork } from '../../src/chains/chains.ts';
import { families } from '../../src/chains/families.ts';
import { createRest } from '../../src/chains/net/createRest.ts';
import type { RpcCall } from '../../src/chains/net/createRpc.ts';
import { toChainFacts } from '../../src/chains/toChainFacts.ts';
import { blockCall as tronBlock } from '../../src/chains/tron/tronProtocol.ts';
import { blockCall as vechainBlock } from '../../src/chains/vechain/vechainProtocol.ts';
import { compileDetector } from '../../src/matching/compileDetector.ts';
import { createSubscriptionIndex } from '../../src/matching/createSubscriptionIndex.ts';

const rounds = 40;
const subscribers = 10_000;
const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const account = (n: number) => n.toString(16).padStart(40, '0');
const word = (n: number) => n.toString(16).padStart(64, '0');

type World = { uid: ChainUid; label: string; calls: RpcCall[]; answer(path: string, body: string): unknown };

/** What a block of other families costs: fetched and parsed alone, and decoded and matched as well. */
export async function measureFamilies(): Promise<string[]> {
  const rows: string[] = [];
  for (const world of [createTron(), createVechain()]) rows.push(await measure(world));
  return rows;
}

async function measure({ uid, label, calls, answer }: World): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      response.end(JSON.stringify(answer(String(request.url), Buffer.concat(chunks).toString()))),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const chain = withNetwork(chains[uid], 'first');
  const rest = createRest(url);
  const client = families[chain.family].nodes!.createClient({
    chain,
    urls: [url],
    now: Date.now,
    onCall: () => {},
  });
  const index = createIndex(uid);
  try {
    const alone = await timed(() => rest.batch(calls, 10_000));
    const whole = await timed(async () => index.match((await client.block(1))!, undefined));
    return `| ${label} | ${calls.length} | ${alone.toFixed(1)} | ${whole.toFixed(1)} | ${(whole / alone).toFixed(2)} |`;
  } finally {
    await Promise.all([rest.close(), client.close()]);
    server.closeAllConnections();
    server.close();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  for (let round = 0; round < 5; round++) await work();
  const start = performance.now();
  for (let round = 0; round < rounds; round++) await work();
  return (performance.now() - start) / rounds;
}

/** Each watches a contract of its own for a new owner; none of them is in the block but the first. */
function createIndex(chainUid: ChainUid) {
  const index = createSubscriptionIndex();
  const facts = toChainFacts(chains[chainUid]);
  for (let id = 1; id <= subscribers; id++) {
    const row = { id, name: 'Owner', schemaName: 'ownership_change', tags: [], config: {} };
    const contract = {
      id,
      tenantId: 1,
      projectId: 1,
      chainUid,
      address: `0x${account(id)}`,
      implementation: null,
      name: 'Contract',
      addressType: 'CONTRACT',
      abi: [],
    };
    const compiled = compileDetector(row, contract, facts);
    if ('fault' in compiled) throw new Error(compiled.fault);
    index.add(compiled);
  }
  return index;
}

/** 300 token transfers, each with two logs. */
function createTron(): World {
  const ids = Array.from({ length: 300 }, (_, n) => word(n + 1));
  const log = (n: number) => ({
    address: account(1_000_000 + n),
    topics: [transferTopic, word(n), word(n + 1)],
    data: word(n),
  });
  const block = {
    blockID: `${'1'.padStart(16, '0')}${'0'.repeat(48)}`,
    block_header: { raw_data: { number: 1, parentHash: word(0), timestamp: 3000 } },
    transactions: ids.map((txID, n) => ({
      txID,
      ret: [{ contractRet: 'SUCCESS' }],
      raw_data: {
        contract: [
          {
            type: 'TriggerSmartContract',
            parameter: {
              value: {
                owner_address: `41${account(2_000_000 + n)}`,
                contract_address: `41${account(1_000_000 + n)}`,
                data: `a9059cbb${word(n)}${word(n)}`,
              },
            },
          },
        ],
      },
      raw_data_hex: '0'.repeat(400),
    })),
  };
  const infos = ids.map((id, n) => ({
    id,
    blockNumber: 1,
    blockTimeStamp: 3000,
    fee: 100,
    receipt: { result: 'SUCCESS', energy_usage_total: 30_000 },
    log: [log(n), log(n + 1)],
  }));
  return {
    uid: 'tron',
    label: 'Tron: 300 transactions, 600 logs',
    calls: [
      tronBlock(1, true),
      { method: 'POST /wallet/gettransactioninfobyblocknum', params: ['', { num: 1 }] },
    ],
    answer: (path, body) =>
      path.includes('infoby') ? infos : body.includes('"0"') ? { blockID: 'first' } : block,
  };
}

/** 150 transactions of two clauses, each of which transfers a token. */
function createVechain(): World {
  const clause = (n: number) => ({
    to: `0x${account(1_000_000 + n)}`,
    value: '0x0',
    data: `0xa9059cbb${word(n)}${word(n)}`,
  });
  const output = (n: number) => ({
    contractAddress: null,
    events: [
      {
        address: `0x${account(1_000_000 + n)}`,
        topics: [`0x${transferTopic}`, `0x${word(n)}`, `0x${word(n + 1)}`],
        data: `0x${word(n)}`,
      },
    ],
    transfers: [],
  });
  const block = {
    number: 1,
    id: `0x${'1'.padStart(8, '0')}${'0'.repeat(56)}`,
    parentID: `0x${word(0)}`,
    timestamp: 10,
    size: 40_000,
    gasLimit: 40_000_000,
    gasUsed: 15_000_000,
    transactions: Array.from({ length: 150 }, (_, n) => ({
      id: `0x${word(n + 1)}`,
      origin: `0x${account(2_000_000 + n)}`,
      gasPayer: `0x${account(2_000_000 + n)}`,
      clauses: [clause(n), clause(n + 1)],
      outputs: [output(n), output(n + 1)],
      gasUsed: 100_000,
      paid: '0xde0b6b3a7640000',
      reward: '0x0',
      reverted: false,
    })),
  };
  return {
    uid: 'vechain',
    label: 'VeChain: 150 transactions of two clauses, 300 logs',
    calls: [vechainBlock(1, true)],
    answer: (path) => (path === '/blocks/0' ? { id: 'first' } : block),
  };
}
