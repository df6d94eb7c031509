import { afterAll, beforeAll, expect, it } from 'vitest';
import { everything } from '../../src/model/principal.ts';
import { readAlertEvents } from '../../src/store/alerts/alertEvents.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { findTargets } from '../../src/store/destinations/targets.ts';
import { createDatabaseBefore } from '../support/createDatabaseBefore.ts';

const step = '0014_notifying.sql';

let database: Awaited<ReturnType<typeof createDatabaseBefore>>;
beforeAll(async () => {
  database = await createDatabaseBefore(step);
});
afterAll(() => database.drop());

it('a database of before keeps the secrets that sign, and its streams go on where they were', async () => {
  const { client } = database;
  await client.query(`insert into tenant (id, name, created_at, updated_at) values (1, 'One', 0, 0);
    insert into destination (id, tenant_id, created_at, updated_at, type, uid, sealed_secret, sealed_old_secret, old_secret_until)
    values (1, 1, 0, 0, 'HTTP', 'a', 'new', 'old', 5), (2, 1, 0, 0, 'HTTP', 'b', 'only', null, null)`);
  const tell = (tenantId: number) =>
    client.query(
      `insert into alert_event (tenant_id, contract_id, alert_uid, alert_timestamp, type, at)
        values ($1, 1, gen_random_uuid(), 1, 'raised', 1) returning xid::text || '-' || seq as id`,
      [tenantId],
    );
  const seen = (await tell(1)).rows[0].id;
  await tell(2);
  await tell(3);

  expect(await migrate(database.config)).toContain(step);
  await tell(4);
  await tell(5);
  const store = openStore(database.config, () => {});
  const told = await readAlertEvents(store, everything, { after: seen }, 10);
  const targets = await findTargets(store, [1, 2]);
  await store.close();
  expect(told.map(({ tenantId }) => tenantId)).toEqual([2, 3, 4, 5]);
  expect(
    targets
      .toSorted((one, other) => one.id - other.id)
      .map(({ sealedSecret, sealedFormerSecrets, formerSecretsUntil }) => [
        sealedSecret?.toString(),
        sealedFormerSecrets.map(String),
        formerSecretsUntil,
      ]),
  ).toEqual([
    ['new', ['old'], [5]],
    ['only', [], []],
  ]);
});
