import { expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { startTestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

it('runs what came due by the clock while no process followed the chain, once one does again', async () => {
  const chain = createSimChain({ chainId: 31337 });
  const simulator = await startSimulator({ chain });
  const vigil = await startTestWatch({ anvil: { urls: [simulator.url] } });
  try {
    const contractId = await vigil.addContract(`0x${'11'.repeat(20)}`);
    // Nobody answers there, which each of them tells when it looks for the first time.
    const addProbe = (name: string, cron: string) =>
      vigil.addDetector(contractId, 'http_probe', { url: 'http://nobody.invalid', cron }, { name });
    await addProbe('often', '1 s');
    await addProbe('daily', '1 day');
    const names = async () => (await vigil.alerts()).map(({ name }) => name);
    const first = vigil.watch();
    await until(async () => (await names()).length > 0);
    await first.stop();
    expect(await names()).toEqual(['often']);
    const dayMs = 86_400_000;
    await vigil.store.query(sql`update chain_cursor set ticked_at = ticked_at - ${dayMs}`);
    vigil.watch();
    await until(async () => (await names()).length > 1);
    expect(await names()).toEqual(['often', 'daily']);
  } finally {
    await vigil.stop();
    await simulator.stop();
  }
});
