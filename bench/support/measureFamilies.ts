import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toAddress } from '../../src/chains/bitcoin/script.ts';
import { chains, getChain, withNetwork } from '../../src/chains/chains.ts';
import { families } from '../../src/chains/families.ts';
import { createRest } from '../../src/chains/net/createRest.ts';
import { createRpc, type Rpc, type RpcCall } from '../../src/chains/net/createRpc.ts';
import { blockCall as tronBlock } from '../../src/chains/tron/tronProtocol.ts';
import { blockCall as vechainBlock } from '../../src/chains/vechain/vechainProtocol.ts';
import { contractAddress } from '../../src/codecs/stellar/strkey.ts';
import { readStellarLedger } from '../../testing/recorded/readStellarLedger.ts';
import { createIndex, type Watching } from './createIndex.ts';
import { familyRow, processorMs } from './familyRow.ts';
import { measureIcp } from './measureIcp.ts';
import { measureSolana } from './measureSolana.ts';

const rounds = 40;
const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const account = (n: number) => n.toString(16).padStart(40, '0');
const word = (n: number) => n.toString(16).padStart(64, '0');

type World = Watching & {
  label: string;
  /** The block, by default 1. */
  number?: number;
  /** By default the public one. */
  network?: string;
  connect(url: string): Rpc;
  calls: RpcCall[];
  answer(path: string, body: string): unknown;
};

/** What a block of other families costs: fetched and parsed alone, and decoded and matched as well. */
export async function measureFamilies(): Promise<string[]> {
  const rows: string[] = [];
  for (const world of [createTron(), createVechain(), createBitcoin(), createStellar()])
    rows.push(await measure(world));
  return [...rows, await measureSolana(), await measureIcp()];
}

async function measure(world: World): Promise<string> {
  const { uid, label, connect, calls, answer, number = 1, network } = world;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      response.end(toText(answer(String(request.url), Buffer.concat(chunks).toString()))),
    );
  });
  // Longer than a block may take to decode.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const chain = withNetwork(getChain(uid), network);
  const node = connect(url);
  const client = families[chain.family].nodes!.createClient({
    chain,
    urls: [url],
    now: Date.now,
    onCall: () => {},
  });
  const index = createIndex(world);
  try {
    const alone = await processorMs(rounds, () => node.batch(calls, 10_000));
    const whole = await processorMs(rounds, async () =>
      index.match((await client.block(number))!, undefined),
    );
    return familyRow(label, calls.length, alone, whole);
  } finally {
    await Promise.all([node.close(), client.close()]);
    server.closeAllConnections();
    server.close();
  }
}

/** What is large is written once. */
function toText(answered: unknown): string {
  return typeof answered === 'string' ? answered : JSON.stringify(answered);
}

const evmDialect = {
  network: 'first',
  connect: createRest,
  address: (n: number) => `0x${account(n)}`,
  schemaName: 'ownership_change',
};

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
    ...evmDialect,
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
    ...evmDialect,
    label: 'VeChain: 150 transactions of two clauses, 300 logs',
    calls: [vechainBlock(1, true)],
    answer: (path) => (path === '/blocks/0' ? { id: 'first' } : block),
  };
}

/** 1,000 payments of four inputs and two outputs, as `getblock` with previous outputs shows them. */
function createBitcoin(): World {
  const address = (n: number) => String(toAddress(`0014${account(n)}`));
  const script = (n: number) => ({
    asm: `0 ${account(n)}`,
    desc: `addr(${address(n)})#aaaaaaaa`,
    hex: `0014${account(n)}`,
    address: address(n),
    type: 'witness_v0_keyhash',
  });
  const hashOf = (n: number) => sha256(Buffer.from(word(n)));
  const payments = Array.from({ length: 1000 }, (_, n) => ({
    txid: hashOf(n).toString('hex'),
    hash: hashOf(n).toString('hex'),
    version: 2,
    size: 670,
    vsize: 348,
    weight: 1390,
    locktime: 0,
    vin: Array.from({ length: 4 }, (_unused, place) => ({
      txid: hashOf(5000 + n).toString('hex'),
      vout: place,
      scriptSig: { asm: '', hex: '' },
      txinwitness: ['3'.repeat(142), '2'.repeat(66)],
      prevout: {
        generated: false,
        height: 800_000,
        value: 0.5,
        scriptPubKey: script(1_000_000 + 4 * n + place),
      },
      sequence: 0xfffffffd,
    })),
    vout: [1.5, 0.49].map((value, place) => ({
      value,
      n: place,
      scriptPubKey: script(2_000_000 + n + place),
    })),
    fee: 0.01,
    hex: '0'.repeat(1340),
  }));
  const coinbase = {
    txid: hashOf(9999).toString('hex'),
    vsize: 200,
    vin: [{ coinbase: '03' }],
    vout: [{ value: 3.125, n: 0, scriptPubKey: script(3_000_000) }],
  };
  const tx = [coinbase, ...payments];
  let level: Buffer[] = tx.map(({ txid }) => Buffer.from(txid, 'hex').reverse());
  while (level.length > 1)
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, place) => {
      const left = level[2 * place]!;
      return sha256(sha256(Buffer.concat([left, level[2 * place + 1] ?? left])));
    });
  const hash = word(1);
  const merkleroot = Buffer.from(level[0]!).reverse().toString('hex');
  const header = { hash, height: 1, previousblockhash: word(0), time: 600, merkleroot };
  const block = JSON.stringify({ ...header, weight: 3_900_000, size: 1_500_000, tx });
  const answers: Readonly<Record<string, string>> = {
    getblockhash: JSON.stringify(hash),
    getblock: block,
    getblockchaininfo: '{"chain":"main","blocks":1}',
  };
  const reply = ({ id, method }: { id: number; method: string }) =>
    `{"jsonrpc":"2.0","id":${id},"result":${answers[method] ?? 'null'}}`;
  return {
    uid: 'bitcoin',
    label: 'Bitcoin: 1,000 transactions, 4,000 inputs',
    connect: createRpc,
    address,
    schemaName: 'utxo_spend',
    calls: [
      { method: 'getblockhash', params: [1] },
      { method: 'getblock', params: [hash, 3] },
    ],
    answer(_path, body) {
      const asked = JSON.parse(body) as Parameters<typeof reply>[0] | Parameters<typeof reply>[0][];
      return Array.isArray(asked) ? `[${asked.map(reply).join()}]` : reply(asked);
    },
  };
}

/** The recorded ledger of the main network. */
function createStellar(): World {
  const number = 58_752_000;
  const metadataXdr = readStellarLedger().toString('base64');
  const hash = '55712ab365546d3ddc7b519023dbec1308a7a97b43c76ee9e04fcff72b2f7ccd';
  const ledger = { hash, sequence: number, metadataXdr };
  const ledgers = JSON.stringify({ ledgers: [ledger], latestLedger: number, oldestLedger: number });
  const network = JSON.stringify({ passphrase: chains.stellar.genesis });
  const reply = ({ id, method }: { id: number; method: string }) =>
    `{"jsonrpc":"2.0","id":${id},"result":${method === 'getNetwork' ? network : ledgers}}`;
  return {
    uid: 'stellar',
    label: 'Stellar: a ledger of the main network, 249 transactions (1.3 MB)',
    number,
    connect: createRpc,
    address: (n) => contractAddress(word(n)),
    schemaName: 'ownership_change',
    calls: [{ method: 'getLedgers', params: { startLedger: number, pagination: { limit: 1 } } }],
    answer(_path, body) {
      const asked = JSON.parse(body) as Parameters<typeof reply>[0] | Parameters<typeof reply>[0][];
      return Array.isArray(asked) ? `[${asked.map(reply).join()}]` : reply(asked);
    },
  };
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
