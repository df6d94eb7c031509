import { describe, expect, it } from 'vitest';
import { decodeBlock } from './decodeBlock.ts';
import { toScript } from './script.ts';

const alice = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const bob = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
const carol = '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy';

/** The node of another network writes another address for the same script. */
const output = (address: string, value: number) => ({
  value,
  scriptPubKey: { hex: toScript(address), address: 'bcrt1other' },
});
const data = { value: 0, scriptPubKey: { hex: '6a00' } };

// Block 170 of the main network has these two transactions and this root.
const txids = [
  'b1fea52486ce0c62bb442b530a3f0132b826c74e473d1f2c220bfa78111c5082',
  'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16',
];
const root = '7dac2c5666815c17a3b36427de37bb9d2e2c5ccec3f8633eb91a4205cb4c10ff';
const raw = (parts: object = {}, second: object = {}) => ({
  height: 170,
  hash: 'aa',
  previousblockhash: 'bb',
  time: 1231731025,
  merkleroot: root,
  weight: 1960,
  size: 490,
  tx: [
    { txid: txids[0], vin: [{ coinbase: '04' }], vout: [output(carol, 50), data], vsize: 100 },
    { txid: txids[1], vin: [], vout: [], fee: 0.0001, vsize: 200, ...second },
  ],
  ...parts,
});
const spend = {
  vin: [{ prevout: output(alice, 5) }, { prevout: output(bob, 3) }],
  vout: [output(carol, 7), output(alice, 0.9999), data],
};

describe('a Bitcoin block', () => {
  it('pairs what addresses lose and gain, change aside', () => {
    const [coinbase, paid] = decodeBlock('bitcoin', raw({}, spend), 0).transactions;
    expect(coinbase?.transfers).toEqual([{ from: null, to: carol, asset: 'native', amount: 5_000_000_000n }]);
    expect(paid?.transfers).toEqual([
      { from: alice, to: carol, asset: 'native', amount: 400_010_000n },
      { from: bob, to: carol, asset: 'native', amount: 299_990_000n },
    ]);
    expect(paid).toMatchObject({ from: alice, to: carol, value: 700_000_000n, priorityFee: 50n });
    expect([...(paid?.parties?.senders ?? [])]).toEqual([alice, bob]);
    expect([...(paid?.parties?.recipients ?? [])]).toEqual([carol, alice]);
  });

  it('tells the outcome of its transactions itself', () => {
    const { receiptOf } = decodeBlock('bitcoin', raw({}, spend), 0);
    expect(receiptOf?.(txids[1] ?? '')).toMatchObject({ isSuccess: true, used: 200n, price: 50n });
    expect(receiptOf?.('other')).toBeUndefined();
  });

  it.each([
    ['a transaction is missing', { tx: raw().tx.slice(0, 1) }],
    ['a transaction is another', { tx: [...raw().tx.slice(0, 1), { ...raw().tx[1], txid: txids[0] }] }],
    ['there is none', { tx: [] }],
    ['the height is no number', { height: '170' }],
  ])('is refused when %s', (_why, parts) => {
    expect(() => decodeBlock('bitcoin', raw(parts), 0)).toThrow();
  });

  it('follows money from a source to all whom it pays, and hops only along plain payments', () => {
    const transaction = decodeBlock('bitcoin', raw({}, spend), 0).transactions[1];
    expect([...(transaction?.payments(() => false) ?? [])]).toEqual([]);
    expect([...(transaction?.payments((address) => address === bob) ?? [])]).toEqual([
      { from: bob, to: carol, isDirect: false },
    ]);
    const plain = { vin: [{ prevout: output(alice, 5) }], vout: [output(carol, 1), output(alice, 3)] };
    const hop = decodeBlock('bitcoin', raw({}, plain), 0).transactions[1];
    expect([...(hop?.payments(() => false) ?? [])]).toEqual([{ from: alice, to: carol, isDirect: true }]);
  });
});
