import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let anvil: Anvil;
let vigil: Vigil;
let env: Record<string, string>;
let detectorId: number;
beforeAll(async () => {
  [workspace, anvil] = await Promise.all([createWorkspace(), startAnvil()]);
  env = { VIGIL_RPC_ANVIL: anvil.url };
  vigil = await workspace.serve(workspace.folder('data'), env);
  const token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10n ** 24n);
  await token.send(anvil.accounts[0], 'transferOwnership', anvil.accounts[1]);
  const tenant = await vigil.post('/tenant', { body: { name: 'Acme' } });
  const project = await vigil.post('/project', { body: { tenantId: tenant.id, name: 'Token' } });
  const contract = await vigil.post('/contract', {
    body: {
      projectId: project.id,
      name: 'Token',
      chainUid: 'anvil',
      address: token.address,
    },
  });
  const schemas = await vigil.post('/detector/schema/search', {
    body: { where: "name = 'ownership_change'" },
  });
  const body = { contractId: contract.id, schemaId: schemas.data[0]!.id, name: 'Owner' };
  detectorId = (await vigil.post('/detector', { body })).id;
});
afterAll(async () => {
  await vigil.stop();
  await anvil.stop();
  await workspace.remove();
});

const backtest = (...words: string[]) => workspace.run(['backtest', ...words], workspace.folder('data'), env);

describe('vigil backtest', () => {
  it('runs a stored detector beside a running Vigil, shows progress and prints what it found', async () => {
    const ended = await backtest(String(detectorId), '--from', '2', '--to', '2');
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toContain('1 of 1 blocks');
    expect(ended.stdout).toMatch(/^1 alerts in 1 blocks \(1 CRITICAL\)/);
    expect(ended.stdout).toContain('The owner of Token is about to change');
    const json = await backtest(String(detectorId), '--from', '1', '--to', '2', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ blocks: 2, faults: 0, bySeverity: { CRITICAL: 2 } });
  });

  it.each([
    [[], /^Usage: vigil backtest/],
    [['1', '--from', '5', '--to', '2'], /--to must not come before --from/],
    [['1', '--from', 'x', '--to', '2'], /^Usage: vigil backtest/],
    [['999', '--from', '1', '--to', '2'], /There is no detector 999/],
  ])('refuses %j in one sentence', async (words, message) => {
    const ended = await backtest(...words);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(message);
  });
});
