import { describe, expect, it } from 'vitest';
import { EvmLog } from '../codecs/evm/evmLog.ts';
import { addressTopic } from '../codecs/evm/words.ts';
import type { Block, Log, Transaction } from '../model/block.ts';
import type { Interest } from '../model/detection.ts';
import { createSubscriptionIndex } from './createSubscriptionIndex.ts';
import type { Subscriber } from './subscriber.ts';

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
const topic = (n: number) => `0x${'f'.repeat(60)}${n.toString(16).padStart(4, '0')}`;

function subscriber(id: number, ...interests: Interest[]): Subscriber {
  const never = () => {
    throw new Error('Nothing is evaluated here.');
  };
  return {
    kind: 'detector',
    id,
    name: String(id),
    contract: {
      id,
      tenantId: 1,
      projectId: 1,
      chainUid: 'anvil',
      address: address(id),
      implementation: null,
      name: String(id),
      addressType: 'CONTRACT',
      abi: [],
    },
    interests,
    isSevere: false,
    severity: 'LOW',
    cooldownMs: 0,
    stateKey: () => '',
    evaluate: never,
    toFindings: never,
  };
}

type Sent = { from: number; to: number | null; input?: string; logs?: { at: number; topics: string[] }[] };

function block(...sent: Sent[]): Block {
  const logs: Log[] = [];
  const transactions = sent.map(({ from, to, input = '0x', logs: own = [] }, index): Transaction => {
    const made = own.map(
      ({ at, topics }, place) =>
        new EvmLog({
          address: address(at),
          topics,
          data: '0x',
          index: logs.length + place,
          transactionHash: `0x${index}`,
          transactionIndex: index,
        }),
    );
    logs.push(...made);
    return {
      hash: `0x${index}`,
      index,
      from: address(from),
      to: to === null ? null : address(to),
      value: 0n,
      input,
      callKey: input.slice(0, 10),
      payments: () => [],
      transfers: [],
      nonce: 0,
      priorityFee: 0n,
      logs: made,
    };
  });
  return {
    chainUid: 'anvil',
    number: 1,
    hash: '0xa',
    parentHash: '0x9',
    timestamp: 1000,
    transactions,
    logs,
    upgraded: [],
    used: 0n,
    limit: 0n,
    size: 0,
    receivedAt: 0,
  };
}

/** Who is shown what: transaction numbers and log numbers in order. */
function shown(index: ReturnType<typeof createSubscriptionIndex>, ...sent: Sent[]) {
  return Object.fromEntries(
    Array.from(index.match(block(...sent), undefined), ([{ id }, observations]) => [
      id,
      observations.map((observation) =>
        observation.type === 'log'
          ? `log ${observation.log.index}`
          : observation.type === 'transaction'
            ? `tx ${observation.transaction.index}`
            : observation.type,
      ),
    ]),
  );
}

describe.each([
  ['few', 0],
  ['many', 40],
])('with %s subscribers at an address', (_, others) => {
  function indexOf(...subscribers: Subscriber[]) {
    const index = createSubscriptionIndex();
    // They look at the same addresses, and want something that never comes.
    for (let n = 0; n < others; n++)
      for (const at of [1, 2])
        index.add(subscriber(1000 + 2 * n + at, { on: 'log', address: address(at), keys: [topic(999)] }));
    for (const one of subscribers) index.add(one);
    return index;
  }

  it('shows logs by emitter and topic, or all of an emitter', () => {
    const index = indexOf(
      subscriber(1, { on: 'log', address: address(1), keys: [topic(1)] }),
      subscriber(2, { on: 'log', address: address(1) }),
      subscriber(3, { on: 'log', address: address(2) }),
    );
    const logs = [
      { at: 1, topics: [topic(1)] },
      { at: 1, topics: [topic(2)] },
      { at: 7, topics: [topic(1)] },
    ];
    expect(shown(index, { from: 8, to: 9, logs })).toEqual({ 1: ['log 0'], 2: ['log 0', 'log 1'] });
  });

  it('shows logs that name an address, by any emitter, but not where it is only the emitter', () => {
    const index = indexOf(subscriber(1, { on: 'party', address: address(1), keys: [topic(1)] }));
    const logs = [
      { at: 7, topics: [topic(1), addressTopic(address(1))] },
      { at: 7, topics: [topic(2), addressTopic(address(1))] },
      { at: 1, topics: [topic(1)] },
    ];
    expect(shown(index, { from: 8, to: 9, logs })).toEqual({ 1: ['log 0'] });
  });

  it('shows transactions by receiver and selector, by sender, and by any touch, each once and before their logs', () => {
    const index = indexOf(
      subscriber(1, { on: 'call', address: address(1), keys: ['0xaaaaaaaa'] }),
      subscriber(2, { on: 'call', address: address(1) }),
      subscriber(3, { on: 'sender', address: address(2) }),
      subscriber(4, { on: 'touch', address: address(1) }, { on: 'log', address: address(1) }),
    );
    const sent = [
      {
        from: 2,
        to: 1,
        input: '0xaaaaaaaa00',
        logs: [{ at: 1, topics: [topic(1), addressTopic(address(1))] }],
      },
      { from: 3, to: 1, input: '0xbbbbbbbb' },
      { from: 3, to: 9, logs: [{ at: 7, topics: [topic(1), addressTopic(address(1))] }] },
      { from: 3, to: null },
    ];
    expect(shown(index, ...sent)).toEqual({
      1: ['tx 0'],
      2: ['tx 0', 'tx 1'],
      3: ['tx 0'],
      4: ['tx 0', 'log 0', 'tx 1', 'tx 2'],
    });
  });

  it('shows nothing to one that was removed, and goes on showing to the others', () => {
    const gone = subscriber(1, { on: 'log', address: address(1) }, { on: 'block' });
    const index = indexOf(gone, subscriber(2, { on: 'log', address: address(1) }));
    index.remove(gone);
    expect(shown(index, { from: 8, to: 9, logs: [{ at: 1, topics: [] }] })).toEqual({ 2: ['log 0'] });
    expect(index.has(address(1))).toBe(true);
    expect(index.has(address(7))).toBe(false);
  });
});

describe('by block and clock', () => {
  it('shows every block, or the first block of each time of a schedule', () => {
    const index = createSubscriptionIndex();
    index.add(subscriber(1, { on: 'block' }));
    index.add(subscriber(2, { on: 'block', schedule: { type: 'every', ms: 10_000 } }));
    const at = (timestamp: number, previous: number) =>
      [...index.match({ ...block(), timestamp }, { number: 0, timestamp: previous }).keys()].map(
        ({ id }) => id,
      );
    expect(at(11_000, 9000)).toEqual([1, 2]);
    expect(at(12_000, 11_000)).toEqual([1]);
  });

  it('shows each call, transfer and change of a transaction with parties, and decodes only what someone wants', () => {
    const [payer, program, token, quiet] = [address(1), address(2), address(3), address(4)];
    let decoded: string[] = [];
    const whole = block({ from: 1, to: null });
    const [plain] = whole.transactions;
    const parts = {
      calls: [
        { contract: program, key: 'a', input: '', position: 0 },
        { contract: program, key: 'b', input: '', position: 1 },
      ],
      transfers: [
        { asset: token, from: payer, to: address(9), amount: 5n },
        { asset: 'native', from: address(8), to: address(9), amount: 5n },
      ],
      changes: [
        { subject: token, what: 'mint', before: payer, after: null, position: 0 },
        { subject: token, what: 'freeze', before: payer, after: null, position: 1 },
      ],
    } as const;
    const lazy = <K extends keyof typeof parts>(name: K) => {
      decoded.push(name);
      return parts[name];
    };
    const transaction: Transaction = {
      ...plain!,
      parties: {
        senders: new Set([payer]),
        recipients: new Set([address(9)]),
        others: new Set([program, token, quiet]),
      },
      get calls() {
        return lazy('calls');
      },
      get transfers() {
        return lazy('transfers');
      },
      get changes() {
        return lazy('changes');
      },
    };
    const only = { ...whole, transactions: [transaction] };
    const seen = (...interests: Interest[]) => {
      const index = createSubscriptionIndex();
      const one = subscriber(1, ...interests);
      index.add(one);
      decoded = [];
      return (index.match(only, undefined).get(one) ?? []).map((observation) =>
        observation.type === 'call'
          ? observation.call.key
          : observation.type === 'transfer'
            ? `transfer ${observation.position}`
            : observation.type === 'change'
              ? observation.change.what
              : observation.type,
      );
    };
    expect(seen({ on: 'touch', address: quiet })).toEqual(['transaction']);
    expect(decoded).not.toContain('transfers');
    expect(decoded).not.toContain('changes');
    expect(seen({ on: 'call', address: program, keys: ['b'] })).toEqual(['b']);
    expect(seen({ on: 'call', address: program })).toEqual(['a', 'b']);
    expect(seen({ on: 'transfer', address: token })).toEqual(['transfer 0']);
    expect(seen({ on: 'transfer', address: payer })).toEqual(['transfer 0']);
    expect(seen({ on: 'change', address: token, keys: ['freeze'] })).toEqual(['freeze']);
    expect(seen({ on: 'change', address: token })).toEqual(['mint', 'freeze']);
    expect(seen({ on: 'change', address: payer })).toEqual([]);
  });
});
