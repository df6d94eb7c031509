import { expect, it } from 'vitest';
import { blindSpot, type Finding } from '../model/alert.ts';
import type { Db } from '../store/db/db.ts';
import { createFireOnAlerts } from './fireOnAlerts.ts';

it('fires nothing at a blind spot, which anyone can make for little', async () => {
  const fire = createFireOnAlerts({ now: Date.now });
  let asked = 0;
  const tx = {
    prepared: async () => {
      asked++;
      return [];
    },
  } as Partial<Db> as Db;
  const finding = {
    tenantId: 1,
    kind: 'detector',
    severity: 'CRITICAL',
    detectorId: 1,
    meta: {},
    tags: [],
  } as Partial<Finding> as Finding;
  await fire(tx, [{ uid: 'a', finding: { ...finding, detectorSchemaName: blindSpot } }]);
  expect(asked).toBe(0);
  await fire(tx, [{ uid: 'a', finding: { ...finding, detectorSchemaName: 'drain' } }]);
  expect(asked).toBe(1);
});
