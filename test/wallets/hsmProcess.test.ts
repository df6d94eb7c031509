import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { createWorkspace, type Environment } from '../../testing/createWorkspace.ts';
import { canary, findLeaks } from '../support/findLeaks.ts';
import { createSoftHsm, hasSoftHsm, type SoftHsm, skipWithoutSoftHsm } from './support/softHsm.ts';

describe('vigil serve with a PKCS#11 module', () => {
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let token: SoftHsm;
  let env: Environment;
  beforeEach(skipWithoutSoftHsm);
  beforeAll(async () => {
    if (!hasSoftHsm) return;
    [workspace, database, token] = await Promise.all([
      createWorkspace(),
      createTestDatabase('migrated'),
      createSoftHsm(),
    ]);
    env = {
      DATABASE_URL: database.url,
      VIGIL_ADMIN_TOKEN: 'a-token-of-the-environment-0123456789',
      VIGIL_LOG_LEVEL: 'trace',
      VIGIL_ROLES: 'api',
      SOFTHSM2_CONF: token.conf,
      VIGIL_PKCS11_MODULE: token.module,
      VIGIL_PKCS11_SLOT: token.slot,
      VIGIL_PKCS11_PIN_FILE: token.pinFile,
    };
  });
  afterAll(async () => {
    if (!hasSoftHsm) return;
    await workspace.remove();
    await database.drop();
    await token.remove();
  });

  it('starts although the PIN is wrong, works once that is fixed, and prints no PIN', async () => {
    await writeFile(token.pinFile, 'canary-wrong-pin');
    const vigil = await workspace.serve(workspace.folder('data'), env);
    const tenantId = (await vigil.ok('POST', 'tenant', { name: 'Own' })).id;
    const body = { tenantId, name: 'Guardian', chainUid: 'anvil', type: 'HSM' };
    const refused = await vigil.call('POST', 'wallet', body);
    expect([refused.status, refused.body.detail]).toEqual([503, expect.stringContaining('refused the PIN')]);
    await writeFile(token.pinFile, token.pin);
    const wallet = await vigil.ok('POST', 'wallet', body);
    const rotated = await vigil.ok('POST', `wallet/${wallet.id}/rotate`);
    expect(rotated.address).not.toBe(wallet.address);
    const { code, stdout, stderr } = await vigil.stop();
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('HSM wallets cannot be used yet');
    const pins = [canary('PIN', token.pin), canary('wrong PIN', 'canary-wrong-pin')];
    expect(findLeaks(pins, stdout + stderr)).toEqual([]);
  });
});
