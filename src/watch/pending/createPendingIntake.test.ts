import { expect, it } from 'vitest';
import type { Block } from '../../model/block.ts';
import type { PendingTransaction } from '../../model/pending.ts';
import { createPendingIntake } from './createPendingIntake.ts';

const vaultOf = (tenant: number) => `0x${String(tenant).padStart(40, 'a')}`;
const index = {
  tenantOf: (address: string) => (/^0xa+\d+$/.test(address) ? Number(/\d+$/.exec(address)?.[0]) : undefined),
  match: () => new Map(),
};
let last = 0;

function pending(members: Partial<PendingTransaction> = {}): PendingTransaction {
  const hash = `0x${(++last).toString(16).padStart(64, '0')}`;
  const from = `0x${last.toString(16).padStart(40, 'b')}`;
  return {
    hash,
    from,
    to: vaultOf(1),
    nonce: 1,
    input: '0x12345678',
    maxFee: 10n,
    tip: 1n,
    raw: {},
    ...members,
  };
}

/** An intake whose work ends when the test says so. */
function open() {
  const worked: { transaction: PendingTransaction; isWanted: () => boolean; end(isOver: boolean): void }[] =
    [];
  const clock = { now: 1_000_000 };
  const intake = createPendingIntake({
    index,
    now: () => clock.now,
    work: (transaction, isWanted) =>
      new Promise((resolve) => worked.push({ transaction, isWanted, end: resolve })),
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const learn = (...hashes: string[]) => {
    clock.now += 1000;
    intake.learn([{ transactions: hashes.map((hash) => ({ hash })) } as unknown as Block]);
  };
  return { intake, worked, clock, settle, learn };
}

it('takes a second of 5,000 transactions in bounded memory, and none of a tenant for those of others', async () => {
  const { intake, worked, settle } = open();
  for (let n = 0; n < 5000; n++) intake.take(pending({ to: `0x${'c'.repeat(40)}` }));
  expect(intake.state()).toMatchObject({ held: 50, dropped: 4950 });
  // More than a tenant may have waiting: the oldest of those are dropped.
  for (let n = 0; n < 5000; n++) intake.take(pending());
  await settle();
  intake.take(pending({ to: vaultOf(2) }));
  const { held, heldBytes } = intake.state();
  expect(held).toBeLessThan(400);
  expect(heldBytes).toBeLessThan(1_000_000);
  for (const { end } of worked.splice(0)) end(true);
  await settle();
  expect(worked.some(({ transaction }) => transaction.to === vaultOf(2))).toBe(true);
  while (worked.length > 0) {
    for (const { end } of worked.splice(0)) end(true);
    await settle();
  }
  expect(intake.state().held).toBeLessThanOrEqual(128);
});

it('holds no more bytes than it may, however large transactions and however many tenants are', () => {
  const { intake } = open();
  const input = `0x${'0'.repeat(262_144)}`;
  for (let tenant = 1; tenant <= 600; tenant++) intake.take(pending({ to: vaultOf(tenant), input }));
  const { heldBytes, dropped } = intake.state();
  expect(heldBytes).toBeLessThanOrEqual(64 * 1024 * 1024);
  expect(dropped).toBeGreaterThan(300);
});

it('tries again after blocks what came to nothing or failed, until a block has it or its time is over', async () => {
  const { intake, worked, clock, settle, learn } = open();
  const one = pending();
  const other = pending();
  for (const transaction of [one, other]) intake.take(transaction);
  const [first, second] = worked.splice(0);
  first!.end(false);
  second!.end(false);
  await settle();
  learn(other.hash);
  await settle();
  expect(worked.map(({ transaction }) => transaction)).toEqual([one]);
  worked.splice(0)[0]!.end(false);
  await settle();
  clock.now += 120_000;
  learn();
  await settle();
  expect(worked).toEqual([]);
  expect(intake.state()).toMatchObject({ held: 0, heldBytes: 0, dropped: 0 });
  intake.take(other);
  expect(intake.state().held).toBe(0);
});

it('gives up what another transaction of its sender takes the place of', () => {
  const { intake, worked } = open();
  const one = pending();
  intake.take(one);
  intake.take(pending({ from: one.from, maxFee: 10n, to: null, input: '0x' }));
  expect(worked[0]!.isWanted()).toBe(true);
  intake.take(pending({ from: one.from, nonce: 2, maxFee: 20n, to: null, input: '0x' }));
  expect(worked[0]!.isWanted()).toBe(true);
  intake.take(pending({ from: one.from, maxFee: 11n, to: null, input: '0x' }));
  expect(worked[0]!.isWanted()).toBe(false);
});
