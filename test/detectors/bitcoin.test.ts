import { describe, expect, it } from 'vitest';
import { decodeBlock, decodeWaiting } from '../../src/chains/bitcoin/decodeBlock.ts';
import { toAddress, toScript } from '../../src/chains/bitcoin/script.ts';
import { chains } from '../../src/chains/chains.ts';
import { toChainFacts } from '../../src/chains/toChainFacts.ts';
import { compileDetector } from '../../src/matching/compileDetector.ts';
import { createSubscriptionIndex } from '../../src/matching/createSubscriptionIndex.ts';
import { evaluateMatches, type SubscriberState } from '../../src/matching/evaluateMatches.ts';
import type { Subscriber } from '../../src/matching/subscriber.ts';
import type { Observation } from '../../src/model/detection.ts';

const shop = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const [payer = '', other = '', third = ''] = [1, 2, 3].map((byte) =>
  String(toAddress(`0014${`0${byte}`.repeat(20)}`)),
);

type Coins = readonly (readonly [address: string, amount: number])[];
const output = ([address, value]: Coins[number]) => ({
  value,
  scriptPubKey: { hex: toScript(address), address },
});

/** A transaction that spends the coins named after it, such as `c0`. */
function pay(name: string, inputs: Record<string, Coins[number]>, outputs: Coins) {
  const raw = {
    txid: id(name),
    vin: Object.keys(inputs).map((input) => ({ txid: id(input), vout: 0 })),
    vout: outputs.map(output),
    vsize: 100,
  };
  return { raw, spent: Object.values(inputs).map(output) };
}
type Payment = ReturnType<typeof pay>;

const id = (name: string) => Buffer.from(name.padEnd(32)).toString('hex');
const waiting = ({ raw, spent }: Payment) => decodeWaiting(raw, spent);

/** The first of the payments counts: a block of one has its id for a root. */
function blockOf({ raw, spent }: Payment, number: number) {
  const paid = [...spent, ...raw.vout].map(({ value }, place) => (place < spent.length ? value : -value));
  const tx = {
    ...raw,
    vin: raw.vin.map((input, place) => ({ ...input, prevout: spent[place] })),
    fee: Math.round(paid.reduce((sum, value) => sum + value, 0) * 1e8) / 1e8,
  };
  const parts = { height: number, hash: `${number}`, previousblockhash: `${number - 1}`, time: number };
  return decodeBlock('bitcoin', { ...parts, merkleroot: raw.txid, weight: 4, size: 1, tx: [tx] }, 0);
}

/** Runs a detector on what it is shown, and keeps its state. */
function watch(schemaName: string, config: object = {}, address = shop) {
  const compiled = compileDetector(
    { id: 1, name: schemaName, schemaName, tags: [], config },
    {
      id: 1,
      tenantId: 1,
      projectId: 1,
      chainUid: 'bitcoin',
      address,
      implementation: null,
      name: 'Shop',
      addressType: 'WALLET',
      abi: [],
    },
    toChainFacts(chains.bitcoin),
  );
  if ('fault' in compiled) throw new Error(compiled.fault);
  const subscriber: Subscriber = compiled;
  const index = createSubscriptionIndex();
  index.add(subscriber);
  let state: SubscriberState | undefined;
  const asked: string[][] = [];

  async function show(observations: readonly Observation[], pool: readonly Payment[]) {
    const evaluated = await evaluateMatches(
      new Map([[subscriber, [...observations]]]),
      () => state,
      async (requests) =>
        requests.map((request) => {
          if (request.type !== 'waiting') return request.type === 'funding' ? null : [];
          asked.push([...request.inputs]);
          return pool.map(waiting);
        }),
    );
    expect(evaluated.faults).toEqual([]);
    state = evaluated.states.get(subscriber) ?? state;
    return evaluated.findings.map(({ severity, txHash, meta, message }) => ({
      severity,
      txHash,
      meta,
      message,
    }));
  }
  return {
    asked,
    state: () => state?.own,
    restore: (own: unknown) => {
      state = own === undefined ? undefined : { ...state, own };
    },
    clock: (pool: readonly Payment[], at = 1000) => show([{ type: 'clock', at, newest: undefined }], pool),
    block: (payment: Payment, number: number) =>
      show([...(index.match(blockOf(payment, number), undefined).get(subscriber) ?? [])], []),
  };
}

describe('mempool_conflict', () => {
  const sale = pay('sale', { c0: [payer, 2] }, [
    [shop, 1.5],
    [payer, 0.4999],
  ]);
  const theft = pay('theft', { c0: [payer, 2] }, [[payer, 1.99]]);
  const bump = pay('bump', { c0: [payer, 2] }, [
    [shop, 1.5],
    [payer, 0.49],
  ]);

  it('reports a payment whose coins another transaction takes, once, while both wait', async () => {
    const detector = watch('mempool_conflict');
    expect(await detector.clock([sale])).toEqual([]);
    expect(await detector.clock([sale])).toEqual([]);
    expect(await detector.clock([theft])).toMatchObject([
      {
        severity: 'HIGH',
        txHash: id('theft'),
        meta: {
          kind: 'doubleSpend',
          replaced: id('sale'),
          changeBefore: '1.5',
          changeAfter: '0',
          isMined: false,
        },
        message: expect.stringContaining('a payment of 1.5 BTC'),
      },
    ]);
    expect(detector.asked.at(-1)).toEqual([`${id('c0')}:0`]);
    expect(await detector.clock([theft])).toEqual([]);
    expect(await detector.block(theft, 1)).toEqual([]);
  });

  it('reports it when the other transaction is first seen in a block, also after a fork', async () => {
    const detector = watch('mempool_conflict');
    await detector.clock([sale]);
    const before = detector.state();
    expect(await detector.block(sale, 1)).toEqual([]);
    expect(detector.state()).toEqual({});
    // What a reorganisation does to the state.
    detector.restore(before);
    expect(await detector.block(theft, 1)).toMatchObject([{ meta: { kind: 'doubleSpend', isMined: true } }]);
  });

  it('takes a higher fee for what it is, and keeps an eye on the replacement', async () => {
    const detector = watch('mempool_conflict');
    await detector.clock([sale]);
    expect(await detector.clock([bump])).toMatchObject([{ severity: 'LOW', meta: { kind: 'feeBump' } }]);
    expect(await detector.clock([theft])).toMatchObject([
      { meta: { kind: 'doubleSpend', replaced: id('bump') } },
    ]);
    const quiet = watch('mempool_conflict', { feeBumps: false });
    await quiet.clock([sale]);
    expect(await quiet.clock([bump])).toEqual([]);
  });

  it('tells a payment of the address that goes elsewhere from one that pays its fee from the change', async () => {
    const out = pay('out', { c1: [shop, 3] }, [
      [other, 1],
      [third, 1.9999],
    ]);
    const dearer = pay('dearer', { c1: [shop, 3] }, [
      [other, 1],
      [third, 1.9],
    ]);
    const elsewhere = pay('elsewhere', { c1: [shop, 3] }, [[payer, 2.9]]);
    const detector = watch('mempool_conflict');
    await detector.clock([out]);
    expect(await detector.clock([dearer])).toMatchObject([{ severity: 'LOW', meta: { kind: 'feeBump' } }]);
    expect(await detector.clock([elsewhere])).toMatchObject([
      { severity: 'HIGH', meta: { kind: 'redirected', recipients: [payer] } },
    ]);
  });

  it('remembers what nodes dropped for two weeks, and what is worth most for as long', async () => {
    const detector = watch('mempool_conflict', { minAmount: '0.001' });
    const dust = Array.from({ length: 150 }, (_, n) =>
      pay(`dust${n}`, { [`d${n}`]: [payer, 0.1] }, [[shop, 0.01]]),
    );
    const tiny = pay('tiny', { t: [payer, 0.1] }, [[shop, 0.0001]]);
    await detector.clock([tiny, sale, ...dust]);
    await detector.clock([], 2000);
    expect(await detector.clock([theft], 3000)).toMatchObject([{ meta: { replaced: id('sale') } }]);
    const { waiting: kept } = detector.state() as { waiting: { hash: string }[] };
    expect(kept).toHaveLength(99);
    expect(kept.map(({ hash }) => hash)).not.toContain(id('tiny'));
    await detector.clock([], 15 * 24 * 3_600_000);
    expect(detector.state()).toEqual({});
  });
});

describe('address_poisoning on Bitcoin', () => {
  it('reports dust of an address that looks like one that the wallet has paid, and a payment to it', async () => {
    const alike = `${other.slice(0, 8)}zzzz${other.slice(12)}`;
    const detector = watch('address_poisoning');
    // Only the texts are compared: the node's own text of an address is believed.
    expect(
      await detector.block(
        pay('paid', { c0: [shop, 2] }, [
          [other, 1],
          [shop, 0.9],
        ]),
        1,
      ),
    ).toEqual([]);
    const script = (address: string) => ({ hex: '00', address });
    const dust = pay('dust', { c1: [third, 1] }, [[shop, 0.00001]]);
    dust.spent = [{ value: 1, scriptPubKey: script(alike) }];
    expect(await detector.block(dust, 2)).toMatchObject([
      { severity: 'HIGH', meta: { kind: 'dust', lookAlike: alike, genuine: other, amount: '0.00001' } },
    ]);
    const mistake = pay('mistake', { c2: [shop, 1] }, [[third, 0.9]]);
    mistake.raw.vout = [{ value: 0.9, scriptPubKey: script(alike) }];
    expect(await detector.block(mistake, 3)).toMatchObject([
      { severity: 'CRITICAL', meta: { kind: 'payment', lookAlike: alike } },
    ]);
    expect(await detector.block(pay('stranger', { c3: [third, 1] }, [[shop, 0.1]]), 4)).toEqual([]);
  });
});

describe('gas_anomaly on Bitcoin', () => {
  it('reports a fee rate far above the usual', async () => {
    const detector = watch('gas_anomaly', { minSamples: 6 });
    const spend = (n: number, fee: number) =>
      detector.block(pay(`p${n}`, { [`c${n}`]: [shop, 1] }, [[other, 1 - fee]]), n);
    for (let n = 1; n <= 8; n++) expect(await spend(n, 0.00001 + n / 1e8)).toEqual([]);
    expect(await spend(9, 0.01)).toMatchObject([
      {
        meta: { measure: 'fee rate', value: 10_000, sender: shop },
        message: expect.stringContaining('sat/vB'),
      },
    ]);
  });
});
