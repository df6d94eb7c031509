import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../sdk/src/index.ts';
import { artifacts } from '../testing/contracts/artifacts.ts';
import type { Anvil } from '../testing/startAnvil.ts';
import { units, type World } from './deploy.ts';
import { printLine } from './print.ts';
import type { Step } from './scenes.ts';
import type { Tenant } from './setUp.ts';

export type GuardedVault = Awaited<ReturnType<typeof guardVault>>;

const holdings = units(50);
/** How long a block waits for the guardian, as those of a public chain do. */
const slotMs = 30_000;

/** A vault that anybody may empty unless it is paused in time, which Vigil does while the attack is still pending. */
export async function guardVault(anvil: Anvil, client: Client, tenant: Tenant) {
  const vault = await anvil.deploy(artifacts.GuardedVault, tenant.guardian);
  const raider = await anvil.deploy(artifacts.Raider, vault.address);
  const { id: contractId } = await client.post('/contract', {
    body: {
      projectId: tenant.projectId,
      chainUid: 'anvil',
      address: vault.address,
      name: 'Savings vault',
      category: 'vault',
      abi: [...vault.abi],
    },
  });
  const { data } = await client.post('/detector/schema/search', { body: { where: "name = 'drain'" } });
  const schema = data.find(({ name }) => name === 'drain');
  if (!schema) throw new Error('Vigil has no detector drain.');
  const { id: detectorId } = await client.post('/detector', {
    body: { contractId, schemaId: schema.id, name: schema.title, config: { pending: true } },
  });
  await client.post('/action', {
    body: {
      contractId,
      walletId: tenant.walletId,
      name: 'Pause the vault',
      funcSignature: 'pause()',
      fireAt: 'pending',
      detectors: [{ detectorId }],
    },
  });

  /** Opens the vault and fills it. */
  function prepare({ treasury }: World): Step[] {
    return [
      { from: treasury, to: vault.address, data: vault.encode('reopen') },
      { from: treasury, to: vault.address, value: holdings },
    ];
  }

  /** Lets the attack wait in the pool until the guardian has answered, and tells which of the two came first. */
  async function attack({ attacker }: World, traffic: readonly Step[][]): Promise<void> {
    const count = async (tag: string) =>
      Number(await anvil.rpc('eth_getTransactionCount', tenant.guardian, tag));
    const before = await count('latest');
    const hash = await anvil.submit({ from: attacker, to: raider.address, data: raider.encode('attack') });
    await Promise.all(
      traffic.map(async (steps) => {
        for (const step of steps) await anvil.submit(step);
      }),
    );
    for (const deadline = Date.now() + slotMs; Date.now() < deadline && (await count('pending')) === before; )
      await sleep(20);
    await anvil.mine();
    const { status, blockNumber } = await anvil.receipt(hash);
    const isPaused = await vault.call('paused');
    const isStopped = status !== 'success' && isPaused;
    printLine(
      Date.now(),
      isStopped ? 'STOPPED' : 'LANDED',
      'Attack on the vault',
      isStopped
        ? `In block ${blockNumber} the guardian's pause() came before the attack, which failed: the vault keeps its coins.`
        : `Block ${blockNumber} came before the guardian.`,
    );
  }

  return { prepare, attack };
}
