import { Hash, type Hex } from 'ox';
import { afterEach, describe, expect, it } from 'vitest';
import { createSeededRandom } from '../seededRandom.ts';
import { startAnvil } from '../startAnvil.ts';
import { createMempool } from './createMempool.ts';
import { createSimChain } from './createSimChain.ts';
import { parseTransaction } from './parseTransaction.ts';
import { addressOf, signTransfer } from './signTransfer.ts';
import { startSimulator } from './startSimulator.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const chainId = 31337;
const gwei = 1_000_000_000n;
const key: Hex.Hex = `0x${'17'.repeat(32)}`;
const sender = addressOf(key);
const rich = { balances: { [sender]: 10n ** 20n } };
type Part = Partial<Parameters<typeof signTransfer>[0]>;
const sign = (nonce: number, part: Part = {}) => signTransfer({ key, chainId, nonce, ...part });

function create(options: Parameters<typeof createMempool>[1] = rich) {
  const chain = createSimChain({ chainId });
  return { chain, mempool: createMempool(chain, options) };
}

type Answer = { result?: unknown; error?: { code: number; message: string; data?: string } };
type Ask = (method: string, ...params: unknown[]) => Promise<Answer>;

const askOf =
  (url: string): Ask =>
  async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    return (await (await fetch(url, { method: 'POST', headers, body })).json()) as Answer;
  };

async function start(options: Parameters<typeof createMempool>[1] = rich) {
  const { chain, mempool } = create(options);
  const simulator = await startSimulator({ chain, mempool });
  stops.push(() => simulator.stop());
  return { chain, mempool, simulator, ask: askOf(simulator.url) };
}

/** What anybody can observe of a node by one script; words for the same refusal are made equal. */
async function observe(ask: Ask, mine: () => Promise<unknown>) {
  const send = async (raw: string) => {
    const { result, error } = await ask('eth_sendRawTransaction', raw);
    if (typeof result === 'string') return result;
    return error?.message.replace(/^transaction already imported$/, 'already known').replace(/:.*/, '');
  };
  const counts = async () => [
    (await ask('eth_getTransactionCount', sender, 'latest')).result,
    (await ask('eth_getTransactionCount', sender, 'pending')).result,
  ];
  const members = [
    'nonce',
    'from',
    'to',
    'value',
    'input',
    'gas',
    'type',
    'blockHash',
    'maxFeePerGas',
    'v',
    'r',
    's',
  ];
  const readBack = async (raw: Hex.Hex) => {
    const { result } = await ask('eth_getTransactionByHash', Hash.keccak256(raw));
    const tx = (result ?? {}) as Record<string, unknown>;
    return [
      result === null,
      ...members.map((member) => (member === 'blockHash' ? tx[member] === null : tx[member])),
    ];
  };
  const seen: unknown[] = [];
  const first = sign(0, { value: 5n, gas: 21_000n });
  seen.push(await send(first), await send(first), await counts(), await readBack(first));
  seen.push(await send(sign(0, { value: 6n, gas: 21_000n })));
  const replacement = sign(0, { value: 6n, gas: 21_000n, maxFee: 11n * gwei, tip: (gwei * 11n) / 10n });
  seen.push(await send(replacement), await readBack(first), await readBack(replacement));
  seen.push(await send(sign(2, { isLegacy: true, gas: 21_000n, maxFee: 3n * gwei })), await counts());
  await mine();
  seen.push(await counts(), await send(replacement), await send(sign(0)), await readBack(replacement));
  const receipt = (await ask('eth_getTransactionReceipt', Hash.keccak256(replacement))).result;
  const { status, gasUsed, type, to, from, blockNumber, transactionIndex } = receipt as Record<
    string,
    unknown
  >;
  seen.push({ status, gasUsed, type, to, from: String(from).toLowerCase(), blockNumber, transactionIndex });
  seen.push((await ask('eth_getTransactionReceipt', Hash.keccak256(first))).result);
  seen.push(await send(sign(1, { gas: 21_000n })), await counts());
  await mine();
  seen.push(await counts(), await readBack(sign(2, { isLegacy: true, gas: 21_000n, maxFee: 3n * gwei })));
  seen.push((await send(sign(3, { value: 10n ** 30n })))?.toLowerCase().slice(0, 18));
  seen.push(await send(sign(3, { chainId: 5 })), await counts());
  const history = (await ask('eth_feeHistory', '0x2', 'latest', [25, 75])).result as Record<
    string,
    unknown[]
  >;
  seen.push(
    ['baseFeePerGas', 'gasUsedRatio', 'reward'].map((name) => history[name]?.length),
    history.oldestBlock,
  );
  return seen;
}

describe('createMempool', () => {
  it('takes, refuses, replaces and mines what a real node does, and reports the same', async () => {
    const { chain, ask } = await start();
    const anvil = await startAnvil({ args: ['--no-mining', '--base-fee=1000000000'] });
    stops.push(() => anvil.stop());
    await anvil.setBalance(sender, 10n ** 20n);
    const fake = await observe(ask, async () => chain.extend(1));
    expect(fake).toEqual(await observe(askOf(anvil.url), () => anvil.mine()));
    expect(fake).toContain('already known');
    expect(fake).toContain('nonce too low');
    expect(fake).toContain('replacement transaction underpriced');
  });

  it('finds the sender of legacy and EIP-1559 transactions, also of one it knows well', () => {
    const other: Hex.Hex = `0x${'23'.repeat(32)}`;
    for (let nonce = 0; nonce < 24; nonce++) {
      const isLegacy = nonce % 3 === 0;
      expect(parseTransaction(sign(nonce, { isLegacy })).from).toBe(sender.toLowerCase());
      expect(parseTransaction(sign(nonce, { isLegacy, key: other })).from).toBe(
        addressOf(other).toLowerCase(),
      );
    }
    const broken = sign(99).replace(/.{8}$/, '00000001');
    expect(parseTransaction(broken).from).not.toBe(sender.toLowerCase());
    expect(() => parseTransaction('0x02c0')).toThrow('invalid transaction');
  });

  it('wants 10 % more of both prices for a replacement, and the money for all that waits', () => {
    const { mempool } = create({ balances: { [sender]: 3n * 60_000n * 10n * gwei } });
    mempool.submit(sign(0));
    const refused = 'replacement transaction underpriced';
    expect(() => mempool.submit(sign(0, { maxFee: 11n * gwei }))).toThrow(refused);
    expect(() => mempool.submit(sign(0, { maxFee: 10_999_999_999n, tip: 2n * gwei }))).toThrow(refused);
    const hash = mempool.submit(sign(0, { maxFee: 11n * gwei, tip: 1_100_000_000n }));
    expect(mempool.pending(sender).map((tx) => tx.hash)).toEqual([hash]);
    mempool.submit(sign(1));
    expect(() => mempool.submit(sign(2))).toThrow('insufficient funds');
    mempool.setBalance(sender, 10n ** 18n);
    mempool.submit(sign(2));
    expect(() => mempool.submit(sign(3, { gas: 20_000n }))).toThrow('intrinsic gas too low');
  });

  it('leaves waiting what pays below the base fee, below the least price, or follows a gap', () => {
    const { chain, mempool } = create();
    const minedNonces = () => mempool.mined(sender).map(({ tx }) => tx.nonce);
    mempool.setMarket({ baseFee: 20n * gwei });
    mempool.submit(sign(0));
    mempool.submit(sign(1, { maxFee: 50n * gwei }));
    mempool.submit(sign(3, { maxFee: 50n * gwei }));
    chain.extend(2);
    expect(minedNonces()).toEqual([]);
    mempool.setMarket({ baseFee: 9n * gwei, minPrice: 11n * gwei });
    chain.extend(2);
    expect(minedNonces()).toEqual([]);
    mempool.setMarket({ minPrice: 0n });
    chain.extend(1);
    expect(minedNonces()).toEqual([0, 1]);
    expect(mempool.mined()[1]).toMatchObject({ status: true, price: 10n * gwei, blockNumber: 5 });
    expect(mempool.nonce(sender, 'pending')).toBe(2);
    mempool.submit(sign(2));
    expect(mempool.nonce(sender, 'pending')).toBe(4);
    chain.extend(1);
    expect(minedNonces()).toEqual([0, 1, 2, 3]);
    expect(mempool.nonce(sender, 4)).toBe(0);
    expect(mempool.nonce(sender, 5)).toBe(2);
  });

  it('forgets on demand, after which the nonce is free again', () => {
    const { chain, mempool } = create();
    const hash = mempool.submit(sign(0));
    mempool.submit(sign(1));
    mempool.forget(hash);
    expect(() => mempool.forget(hash)).toThrow('not waiting');
    expect(mempool.nonce(sender, 'pending')).toBe(0);
    chain.extend(1);
    expect(mempool.mined(sender)).toEqual([]);
    expect(mempool.submit(sign(0))).toBe(hash);
    chain.extend(1);
    expect(mempool.mined(sender)).toHaveLength(2);
  });

  it('gets back what a fork drops, unless the branch that wins holds it', async () => {
    const { chain, mempool, ask } = await start();
    const hash = mempool.submit(sign(0, { value: 7n }));
    const [, old] = chain.extend(2);
    const balance = mempool.balance(sender, chain.head.number);
    chain.fork(0, [{ takesNone: true }, { takesNone: true }]);
    expect((await ask('eth_getTransactionReceipt', hash)).result).toBeNull();
    expect((await ask('eth_getTransactionByHash', hash)).result).toMatchObject({ blockHash: null });
    expect(mempool.nonce(sender, chain.head.number)).toBe(0);
    expect(mempool.balance(sender, chain.head.number)).toBe(rich.balances[sender]);
    const rival = mempool.submit(sign(0, { maxFee: 20n * gwei, tip: 2n * gwei }));
    chain.extend(1);
    expect(mempool.mined(sender).map(({ tx }) => tx.hash)).toEqual([rival]);
    chain.adopt(old!);
    expect(mempool.mined(sender).map(({ tx }) => tx.hash)).toEqual([hash]);
    expect(mempool.pending(sender)).toEqual([]);
    expect(mempool.balance(sender, chain.head.number)).toBe(balance);
    expect((await ask('eth_getTransactionReceipt', hash)).result).toMatchObject({ blockNumber: '0x1' });
    expect(mempool.minings.map(({ tx }) => tx.hash)).toEqual([hash, rival]);
    chain.fork(0, 1);
    expect(mempool.mined(sender)[0]).toMatchObject({ tx: { hash }, blockHash: chain.head.hash });
  });

  it('lets a script decide what calls, estimates and blocks make of a transaction', async () => {
    const reverts = new Map<string, string>();
    const { chain, mempool, ask } = await start({
      ...rich,
      contract: ({ phase, data }) => {
        const revert = data === '0x01' ? reverts.get(phase) : undefined;
        return revert ? { revert } : data === '0x02' ? { gas: 70_000 } : undefined;
      },
    });
    const call = { from: sender, to: `0x${'aa'.repeat(20)}`, data: '0x01' };
    expect((await ask('eth_call', call, 'latest')).result).toBe('0x');
    expect(Number((await ask('eth_estimateGas', call)).result)).toBe(41_016);
    expect((await ask('eth_estimateGas', { ...call, value: '0xffffffffffffffffffff' })).error?.message).toBe(
      'insufficient funds for transfer',
    );
    reverts.set('estimate', 'paused').set('execute', '0xdeadbeef');
    expect((await ask('eth_call', call, 'latest')).result).toBe('0x');
    expect((await ask('eth_estimateGas', call)).error).toMatchObject({
      code: 3,
      message: 'execution reverted: paused',
      data: expect.stringMatching(/^0x08c379a0.*706175736564/),
    });
    for (const [nonce, data] of ['0x01', '0x02', '0x03'].entries())
      mempool.submit(sign(nonce, { data: data as Hex.Hex }));
    chain.extend(1);
    expect(mempool.mined(sender).map(({ status, gasUsed }) => [status, gasUsed])).toEqual([
      [false, 41_016],
      [false, 60_000],
      [true, 41_016],
    ]);
    const hash = Hash.keccak256(sign(1, { data: '0x02' }));
    expect((await ask('eth_getTransactionReceipt', hash)).result).toMatchObject({
      status: '0x0',
      gasUsed: '0xea60',
      cumulativeGasUsed: `0x${(101_016).toString(16)}`,
      effectiveGasPrice: '0x77359400',
      transactionIndex: '0x1',
    });
  });

  it('is a chain without base fee when configured so', async () => {
    const { chain, mempool, ask } = await start({ ...rich, baseFee: null, tip: 5n * gwei });
    chain.extend(1);
    const { result } = await ask('eth_getBlockByNumber', 'latest', false);
    expect(result).not.toHaveProperty('baseFeePerGas');
    expect((await ask('eth_feeHistory', '0x1', 'latest', [50])).error?.code).toBe(-32601);
    expect((await ask('eth_gasPrice')).result).toBe('0x12a05f200');
    expect(() => mempool.submit(sign(0))).toThrow('transaction type not supported');
    const hash = mempool.submit(sign(0, { isLegacy: true, maxFee: 5n * gwei }));
    chain.extend(1);
    expect((await ask('eth_getTransactionReceipt', hash)).result).toMatchObject({
      type: '0x0',
      effectiveGasPrice: '0x12a05f200',
    });
  });

  it('mines blocks by itself when configured so', async () => {
    const { chain, mempool } = create();
    mempool.submit(sign(0));
    mempool.mineEvery(5);
    await expect.poll(() => mempool.mined(sender).length).toBe(1);
    mempool.mineEvery(0);
    const { number } = chain.head;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(chain.head.number).toBe(number);
  });
});

describe('nonceFaults', () => {
  it('finds gaps, two payloads for one nonce and replacements that are too cheap, and nothing else', () => {
    const { mempool } = create();
    mempool.submit(sign(0));
    mempool.submit(sign(0, { maxFee: 11n * gwei, tip: 1_100_000_000n }));
    mempool.noteLost(sign(1));
    expect(() => mempool.submit(sign(0))).toThrow('underpriced');
    expect(mempool.nonceFaults()).toEqual([]);
    mempool.submit(sign(2));
    mempool.noteLost(sign(2, { data: '0x01', maxFee: 20n * gwei, tip: 2n * gwei }));
    expect(() => mempool.submit(sign(0, { maxFee: 12n * gwei, tip: 1_200_000_000n }))).toThrow('underpriced');
    expect(mempool.nonceFaults()).toMatchObject([
      { type: 'gap', nonce: 1 },
      { type: 'bump', nonce: 0 },
      { type: 'payload', nonce: 2 },
    ]);
  });
});

describe('a random life', () => {
  it('a random life of submissions, blocks and forks never loses, repeats or gaps a nonce', () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = createSeededRandom(seed);
    const { chain, mempool } = create();
    for (let step = 0; step < 150; step++) {
      const nonce = mempool.nonce(sender, 'pending');
      const chance = random.next();
      if (chance < 0.5) mempool.submit(sign(nonce));
      else if (chance < 0.8) chain.extend(1);
      else chain.fork(Math.floor(random.next() * (chain.head.number + 1)), 1 + Math.floor(random.next() * 4));
      const nonces = mempool.mined(sender).map(({ tx }) => tx.nonce);
      expect(nonces, `seed ${seed}`).toEqual(nonces.map((_, place) => place));
      expect(nonces.length + mempool.pending(sender).length, `seed ${seed}`).toBe(mempool.arrivals.length);
      const spent = mempool
        .mined(sender)
        .reduce((sum, { gasUsed, price }) => sum + BigInt(gasUsed) * price, 0n);
      expect(mempool.balance(sender, chain.head.number), `seed ${seed}`).toBe(10n ** 20n - spent);
    }
    expect(mempool.nonceFaults(), `seed ${seed}`).toEqual([]);
  });
});
