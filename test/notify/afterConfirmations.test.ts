import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { retractBlocks } from '../../src/alerts/retractBlocks.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import {
  createHoldOnMined,
  createNotifyOnAlerts,
  createNotifyOnRetractions,
} from '../../src/notify/notifyOnAlerts.ts';
import { startHeldDeliveries } from '../../src/notify/startHeldDeliveries.ts';
import { releaseHeld } from '../../src/store/destinations/heldDeliveries.ts';
import { until } from '../../testing/until.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

let world: NotifyWorld;
let atOnce: number;
let patient: number;
beforeAll(async () => {
  world = await startNotifyWorld();
  atOnce = (await world.addDestination('/at-once', { tags: [] })).id;
  patient = (await world.addDestination('/patient', { tags: [] })).id;
  await world.bind(atOnce, { tenantDestinationId: patient, afterConfirmations: 3 });
  await process(100);
  world.work();
});
afterEach(() => expect(world.errors).toEqual([]));
afterAll(() => world.stop());

/** The chain is followed up to this block. */
async function process(block: number): Promise<void> {
  await world.store.query(
    sql`insert into chain_cursor (chain_uid, head, processed, confirmed, final, updated_at)
      values ('ethereum', ${block}, ${block}, ${block - 2}, 0, 0)
      on conflict (chain_uid) do update set head = excluded.head, processed = excluded.processed`,
  );
}

let count = 0;

async function raise(members: Partial<Finding>): Promise<{ finding: Finding; uid: string }> {
  const finding: Finding = {
    tenantId: world.tenantId,
    projectId: 1,
    contractId: world.contractId,
    kind: 'detector',
    group: 'SECURITY',
    severity: 'HIGH',
    timestamp: Date.now(),
    key: `finding ${++count}`,
    eid: `eid ${count}`,
    name: 'Found',
    message: 'Found.',
    meta: {},
    tags: [],
    detectorId: world.detectorId,
    chainUid: 'ethereum',
    ...members,
  };
  await prepareRaise(world.store, [finding]);
  const hooks = [createNotifyOnAlerts({ links: world.services.alertLinks, now: Date.now })];
  const raised = await world.store.transaction((tx) => raiseAlerts(tx, [finding], hooks));
  return { finding, uid: raised[0]!.uid };
}

const hash = (digit: string) => `0x${digit.repeat(64)}`;
const release = () => releaseHeld(world.store, Date.now());
const states = async (destinationId: number) =>
  (await world.deliveries(destinationId)).data.map(({ state }: { state: string }) => state);
const received = (path: string) => world.sink.received.filter((request) => request.path === path).length;

it('is sent when as many blocks follow that of the alert, and not before, also after a restart', async () => {
  const held = startHeldDeliveries({
    store: world.store,
    now: Date.now,
    onError: (e) => world.errors.push(e),
  });
  await raise({ blockNumber: 100, blockHash: hash('1') });
  await until(() => received('/at-once') === 1);
  await process(102);
  expect(await release()).toBe(0);
  await held.stop();
  expect(received('/patient')).toBe(0);
  expect(await states(patient)).toEqual(['PENDING']);
  await process(103);
  const again = startHeldDeliveries({
    store: world.store,
    now: Date.now,
    onError: (e) => world.errors.push(e),
  });
  await until(() => received('/patient') === 1);
  await again.stop();
  await until(async () => (await states(patient))[0] === 'DELIVERED');
});

it('is never sent of an alert that a reorganisation takes back', async () => {
  const before = received('/patient');
  const block = { number: 103, hash: hash('2') };
  await raise({ blockNumber: block.number, blockHash: block.hash });
  await world.store.transaction((tx) =>
    retractBlocks(tx, { chainUid: 'ethereum', blocks: [block], now: Date.now() }, [
      createNotifyOnRetractions({ now: Date.now }),
    ]),
  );
  await process(110);
  expect(await release()).toBe(1);
  expect((await states(patient))[0]).toBe('CANCELED');
  // The one that was not to wait is told of the retraction.
  await until(() => received('/at-once') === 3);
  expect(received('/patient')).toBe(before);
});

it('waits for a block first where the alert is about a pending transaction', async () => {
  const before = received('/patient');
  const { finding, uid } = await raise({ isPending: true, txHash: hash('3') });
  await process(120);
  expect(await release()).toBe(0);
  await world.store.transaction(async (tx) => {
    const write = await createHoldOnMined()(tx, [{ uid, finding: { ...finding, blockNumber: 119 } }]);
    await write?.();
  });
  expect(await release()).toBe(0);
  await process(122);
  expect(await release()).toBe(1);
  await until(() => received('/patient') === before + 1);
});

it('is sent at once where no block can confirm it', async () => {
  const before = received('/patient');
  await raise({ chainUid: 'polygon', blockNumber: 5, blockHash: hash('4') });
  await raise({});
  await until(() => received('/patient') === before + 2);
});

it('is read back where bindings are, and refused where it is no number of blocks', async () => {
  const { data } = await world.ok('GET', `destination/${patient}/binding`);
  expect(data).toMatchObject([{ kind: 'detector', afterConfirmations: 3 }]);
  const { destinations } = await world.ok('GET', `detector/${world.detectorId}`);
  expect(destinations[0]).not.toHaveProperty('afterConfirmations');
  for (const afterConfirmations of [-1, 1.5, 'soon', 100_001]) {
    const answer = await world.call('PUT', `detector/${world.detectorId}`, {
      destinations: [{ tenantDestinationId: patient, afterConfirmations }],
    });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([
      400,
      '/destinations/0/afterConfirmations',
    ]);
  }
});
