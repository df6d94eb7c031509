import { expect, it } from 'vitest';
import { uidTime } from '../lib/uid.ts';
import { alertUid } from './alertUid.ts';

const uidAt = (transaction: number, log: number, key = 'k') =>
  alertUid({
    tenantId: 1,
    kind: 'detector',
    timestamp: 1_800_000_000_000,
    key,
    position: { transaction, log },
  });

it('uids of one block sort by transaction and log, and still tell apart what is at one position', () => {
  const positions = [
    [0, -1],
    [0, 0],
    [0, 300],
    [1, -1],
    [1, 5],
    [70, 2],
    [4094, 16_000],
  ] as const;
  const uids = positions.map(([transaction, log]) => uidAt(transaction, log));
  expect([...uids].sort()).toEqual(uids);
  expect(uids.map(uidTime)).toEqual(uids.map(() => 1_800_000_000_000));
  const same = Array.from({ length: 1000 }, (_, n) => uidAt(70_000, 70_000, String(n)));
  expect(new Set(same).size).toBe(1000);
});
