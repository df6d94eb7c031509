import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { until } from '../../testing/until.ts';

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let anvil: Anvil;
let vigil: Vigil;
let env: Record<string, string>;
let detectorId: number;
beforeAll(async () => {
  [workspace, anvil] = await Promise.all([createWorkspace(), startAnvil()]);
  env = { VIGIL_RPC_ANVIL: anvil.url, VIGIL_RPC_BASE: 'http://127.0.0.1:1/hidden-key-0123' };
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

it('names at the start the chains with their endpoints, without keys, and the head or the fault of each', async () => {
  await until(() => vigil.stdout().includes(' base '));
  expect(vigil.stdout()).toMatch(/^ {2}chains {10}base \(http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED.*\)$/m);
  expect(vigil.stdout()).toMatch(new RegExp(`^ {18}anvil \\(${anvil.url}, head \\d+\\)$`, 'm'));
  expect(vigil.stdout()).not.toContain('hidden-key');
});

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

  it('names the variable that its own shell lacks, and what the running Vigil can do', async () => {
    const words = [String(detectorId), '--from', '1', '--to', '2'];
    const { code, stderr } = await workspace.run(['backtest', ...words], workspace.folder('data'));
    expect(code).toBe(2);
    expect(stderr).toBe(
      'No endpoint of anvil is known here: set VIGIL_RPC_ANVIL in this shell too, ' +
        'or let the running Vigil do it by POST /detector/{id}/backtest.\n',
    );
  });

  it.each([
    [[], /^vigil backtest needs the id of a detector, --from .*Usage: vigil backtest/],
    [['1', '--from', '5', '--to', '2'], /--to must not come before --from/],
    [['1', '--from', 'x', '--to', '2'], /^vigil backtest needs --from with a block\. Usage/],
    [['999', '--from', '1', '--to', '2'], /There is no detector 999/],
  ])('refuses %j in one sentence', async (words, message) => {
    const ended = await backtest(...words);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(message);
  });
});
