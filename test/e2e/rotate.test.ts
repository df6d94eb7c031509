import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseMasterKey } from '../../src/lib/masterKey.ts';
import { sql } from '../../src/lib/sql.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { openKeyring } from '../../src/store/records/keyring.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { databaseOf } from '../../testing/databaseOf.ts';
import type { Answer } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';

describe('vigil key rotate', () => {
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let dataDir: string;
  let vigil: Vigil;
  let tenantId: number;
  /** Keys of the wallets by id, as they were given. */
  const given = new Map<number, string>();
  let made = 0;
  beforeAll(async () => {
    workspace = await createWorkspace();
    dataDir = workspace.folder('data');
    vigil = await workspace.serve(dataDir);
    tenantId = (await vigil.post('/tenant', { body: { name: 'Rotated' } })).id;
    await vigil.put('/plan/{id}', { path: { id: 1 }, body: { maxWallets: 100_000 } });
  });
  afterAll(() => workspace.remove());

  const fileKey = async () => parseMasterKey((await readFile(join(dataDir, 'master.key'), 'utf8')).trim());

  async function createWallet(): Promise<Answer> {
    const key = randomBytes(32).toString('hex');
    const answer = await vigil.call('POST', 'wallet', {
      tenantId,
      name: 'W',
      chainUid: 'anvil',
      privateKey: key,
    });
    if (answer.status === 201) given.set(answer.body.id, key);
    return answer;
  }

  /** What a running Vigil must unseal: the headers of a destination, and the reply to a repeated request. */
  async function useSecrets(): Promise<Answer[]> {
    const headers = { 'idempotency-key': `once ${made++ % 5}`.replace(' ', '-') };
    const body = {
      tenantId,
      type: 'HTTP',
      uri: 'https://example.com/',
      headers: { 'X-Key': 'value', 'X-Other': 'value' },
    };
    const created = await vigil.call('POST', 'destination', body, { headers });
    if (created.status === 409) return [];
    const changed = await vigil.call('PUT', `destination/${created.body.id}`, {
      headers: { 'X-Key': '[sealed]', 'X-Other': 'more' },
    });
    return [created, changed];
  }

  /** Every key of a wallet, read with the master key of the file as any later process would. */
  async function expectReadable(): Promise<void> {
    const master = await fileKey();
    const store = openStore(await databaseOf(dataDir), () => {});
    const keyring = await openKeyring(store, () => [master], Date.now());
    const rows = await store.query<{ id: number; box: Buffer }>(
      sql`select id, sealed_key as box from wallet`,
    );
    expect(rows.length).toBe(given.size);
    for (const { id, box } of rows)
      expect(await keyring.unseal({ tenantId, kind: 'wallet', id, member: 'privateKey' }, box)).toBe(
        given.get(id),
      );
    await store.close();
  }

  it('fails no request under load, and every secret from before and after stays readable', async () => {
    const load = { isOver: false };
    const answers: Answer[] = [];
    const loops = [0, 1, 2].map(async () => {
      while (!load.isOver) {
        answers.push(await createWallet(), ...(await useSecrets()));
        await sleep(5);
      }
    });
    await until(() => answers.length > 30);
    const masters = [await fileKey()];
    for (let i = 0; i < 2; i++) {
      expect((await workspace.run(['key', 'rotate'], dataDir)).code).toBe(0);
      masters.push(await fileKey());
    }
    const sofar = answers.length;
    await until(() => answers.length > sofar + 30);
    load.isOver = true;
    await Promise.all(loops);
    expect(answers.filter(({ status }) => status >= 300).map(({ text }) => text)).toEqual([]);
    expect(new Set(masters.map((key) => key.toString('hex'))).size).toBe(3);
    await expectReadable();
  });

  it('run by several at once leaves the key that fits', async () => {
    const runs = await Promise.all([1, 2, 3].map(() => workspace.run(['key', 'rotate'], dataDir)));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    await expectReadable();
  });

  it('lets Vigil start again, unseal what is old and seal what is new', async () => {
    await vigil.stop();
    vigil = await workspace.serve(dataDir);
    for (const answer of [await createWallet(), ...(await useSecrets()), ...(await useSecrets())])
      expect(answer.status).toBeLessThan(300);
    await expectReadable();
    await vigil.stop();
  });

  it('vigil key rotate asks for the new key in a file where the environment has the old one, which is refused from then on', async () => {
    const [old, next] = [await fileKey(), randomBytes(32)].map((key) => key.toString('base64'));
    const file = workspace.folder('next.key');
    await writeFile(file, `${next}\n`);
    const env = { VIGIL_MASTER_KEY: old! };
    vigil = await workspace.serve(dataDir, env);
    const refused = await workspace.run(['key', 'rotate'], dataDir, env);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      'VIGIL_MASTER_KEY is set: give the new key in --new-key-file.\n',
    ]);
    const { code, stdout } = await workspace.run(['key', 'rotate', '--new-key-file', file], dataDir, env);
    expect(code).toBe(0);
    expect(stdout).toContain('Set VIGIL_MASTER_KEY to the new key before the next start.');
    for (const answer of [await createWallet(), ...(await useSecrets())])
      expect(answer.status).toBeLessThan(300);
    await vigil.stop();
    const late = await workspace.run(['serve'], dataDir, { ...env, VIGIL_PORT: '0' });
    expect(late.code).toBe(1);
    expect(late.stderr).toContain('The master key does not fit this database');
    vigil = await workspace.serve(dataDir, { VIGIL_MASTER_KEY: next! });
    for (const answer of [await createWallet(), ...(await useSecrets())])
      expect(answer.status).toBeLessThan(300);
    await vigil.stop();
  });
});
