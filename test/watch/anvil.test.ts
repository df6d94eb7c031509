import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';

let anvil: Anvil;
let vigil: TestWatch;
beforeAll(async () => {
  anvil = await startAnvil();
  vigil = await startTestWatch({ anvil: { urls: [anvil.url] } });
});
afterAll(async () => {
  await vigil.stop();
  await anvil.stop();
});

describe('watching a real chain', () => {
  it('raises an alert from an event, once, and takes it back when the block is reorganised away', async () => {
    const [owner, next] = anvil.accounts;
    const token = await anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 10n ** 24n);
    const contractId = await vigil.addContract(token.address);
    await vigil.addDetector(contractId, 'ownership_change');
    await anvil.mine();
    vigil.watch();
    await vigil.reached('anvil', Number(await anvil.blockNumber()));
    await anvil.mine(3);
    await token.send(owner, 'transferOwnership', next);
    const height = Number(await anvil.blockNumber());
    await anvil.mine(2);
    await vigil.reached('anvil', height + 2);
    expect(await vigil.alerts('detectorId:*')).toMatchObject([
      { kind: 'detector', severity: 'CRITICAL', contractId, blockNumber: height, finality: 'CONFIRMED' },
    ]);
    await anvil.reorg(4, []);
    await anvil.mine(2);
    await vigil.reached('anvil', Number(await anvil.blockNumber()));
    expect(await vigil.alerts('detectorId:*')).toEqual([]);
    expect(await vigil.alerts('status:RETRACTED')).toMatchObject([{ contractId, blockNumber: height }]);
  });
});
