import { expect, it } from 'vitest';
import type { Funding, Label, Observation, Reader } from '../model/detection.ts';
import { nameParties } from './nameParties.ts';

const address = (digit: string) => `0x${digit.repeat(40)}`;
const [watched, thief, friend, mixer] = ['1', '2', '3', '4'].map(address) as [string, string, string, string];
const transaction = { hash: '0xaa', from: thief };
const observation = {
  type: 'transaction',
  block: { transactions: [transaction] },
  transaction,
} as unknown as Observation;

const label = (over: Partial<Label>): Label => ({
  tenantId: null,
  address: thief,
  name: null,
  tags: [],
  score: 50,
  source: null,
  ...over,
});
const reader = (labels: readonly Label[], funding: Funding | null = null) =>
  ({
    labels: (asked: string) => labels.filter((each) => each.address === asked),
    funding: (asked: string) => (asked === thief ? funding : null),
    all: (questions: readonly (() => unknown)[]) => questions.map((question) => question()),
  }) as unknown as Reader;

function name(message: string, read: Reader) {
  const found = { detections: [{ message, fields: { a: 1 } }] };
  return nameParties(found, observation, { address: watched, name: 'Vault' }, read).detections?.[0];
}

it('adds what labels say to the addresses of a message, in harmless words, the tenant’s own first', () => {
  const read = reader([
    label({ name: 'Public name', tags: ['EXPLOIT'], score: 99 }),
    label({ tenantId: 7, name: 'Our <b>bot</b> @here', tags: ['BOT'] }),
    label({ address: friend, tags: ['EXCHANGE', 'HOT'] }),
    label({ address: watched, name: 'Vault' }),
  ]);
  expect(name(`5 TKN moved from ${thief} to ${friend} (${watched}).`, read)).toEqual({
    message: `5 TKN moved from ${thief} (Our ‹b›bot‹/b› (at)here, BOT) to ${friend} (EXCHANGE, HOT) (${watched}).`,
    fields: {
      a: 1,
      labels: [
        { address: thief, name: 'Our <b>bot</b> @here', tags: ['BOT'], score: 50 },
        { address: friend, name: null, tags: ['EXCHANGE', 'HOT'], score: 50 },
      ],
    },
  });
});

it('leaves alone hashes, unknown addresses and what says itself who it is', () => {
  const read = reader([label({ name: 'Thief' })]);
  for (const message of [
    `${thief}, known as Thief, called.`,
    `Transaction 0x${'2'.repeat(64)} of ${friend}.`,
  ])
    expect(name(message, read)?.message).toBe(message);
});

it('says where the sender of the transaction got its first money from, unless the detector does', () => {
  const funding = { source: mixer, tags: ['MIXER'], hops: 2, transactionHash: '0xbb', timestamp: 1 };
  expect(name('Something.', reader([], funding))).toEqual({
    message: `Something. The sender ${thief} got its first money from ${mixer} (MIXER), 1 account in between.`,
    fields: { a: 1, fundedBy: mixer, fundingHops: 2, fundingTransaction: '0xbb' },
  });
  const own = { detections: [{ message: 'Own.', fields: { fundedBy: mixer } }] };
  expect(nameParties(own, observation, { address: watched, name: 'Vault' }, reader([], funding))).toEqual(
    own,
  );
});
