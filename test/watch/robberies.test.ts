import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

const ether = 10n ** 18n;
const k = 1_000_000_000n;
let anvil: Anvil;
let vigil: TestWatch;
let watching: { stop(): Promise<void> };

beforeAll(async () => {
  anvil = await startAnvil();
  vigil = await startTestWatch({ anvil: { urls: [anvil.wsUrl], confirmations: 1 } });
  watching = vigil.watch();
});

afterAll(async () => {
  await watching?.stop();
  await vigil?.stop();
  await anvil?.stop();
});

const settled = async () => vigil.reached('anvil', Number(await anvil.blockNumber()));

describe('a robbery', () => {
  it('is one incident, whatever saw it and wherever the thief takes from', async () => {
    const [owner, , thiefOwner] = anvil.accounts;
    const ids: number[] = [];
    const vaults = [await anvil.deploy(artifacts.SilentVault), await anvil.deploy(artifacts.SilentVault)];
    for (const vault of vaults) {
      await vault.send({ from: owner, value: 50n * ether }, 'deposit');
      const id = await vigil.addContract(vault.address);
      ids.push(id);
      for (const [kind, config] of [
        ['drain', {}],
        ['tvl_drop', {}],
        ['reentrancy', {}],
        ['outflow_rate', { limit: '50%', window: '30 min' }],
        ['wallet_balance', { condition: '< -20%', when: 'block', severity: 'HIGH' }],
      ] as const)
        await vigil.addDetector(id, kind, config);
    }
    await vigil.informed();
    await anvil.mine();
    await settled();
    for (const vault of vaults) {
      const thief = await anvil.deploy(artifacts.Thief, vault.address);
      await thief.send({ from: thiefOwner, value: 10n * ether }, 'attack');
      await settled();
    }
    const alerts = await vigil.alerts(`contractId:(${ids.join(' OR ')})`);
    const kinds = alerts.map(
      ({ contractId, detectorSchemaName }: Json) => `${contractId} ${detectorSchemaName}`,
    );
    for (const id of ids)
      expect(kinds).toEqual(
        expect.arrayContaining(
          ['drain', 'tvl_drop', 'reentrancy', 'outflow_rate', 'wallet_balance'].map(
            (kind) => `${id} ${kind}`,
          ),
        ),
      );
    const severe = alerts.filter(({ numericSeverity }: Json) => numericSeverity >= 70);
    expect(new Set(severe.map(({ incidentUid }: Json) => incidentUid)).size).toBe(1);
    const incident = await vigil.ok('GET', `incident/${severe[0]!.incidentUid}`);
    expect(incident).toMatchObject({
      severity: 'CRITICAL',
      txHashes: [expect.any(String), expect.any(String)],
    });
  });

  it('a robbery of users of a router is seen while it is pending, and is the same alert in its block', async () => {
    const [owner, user, thief] = anvil.accounts;
    const usdc = await anvil.deploy(artifacts.Token, 'Dollar', 'USDC', 6, 10n ** 15n);
    const feed = await anvil.deploy(artifacts.PriceFeed, 8, 10n ** 8n);
    const router = await anvil.deploy(artifacts.LooseRouter);
    await usdc.send(owner, 'transfer', user, 500n * k);
    await usdc.send(user, 'approve', router.address, 500n * k);
    const id = await vigil.addContract(router.address);
    const tokens = [{ token: usdc.address, usdFeed: feed.address }];
    await vigil.addDetector(id, 'allowance_drain', { tokens, pending: true });
    await vigil.informed();
    await settled();
    await until(async () => {
      const { data } = await vigil.ok('GET', 'chain');
      return data.find(({ chainUid }: Json) => chainUid === 'anvil').pending.state === 'ok';
    });
    await anvil.setAutomine(false);
    const data = router.encode('run', usdc.address, usdc.encode('transferFrom', user, thief, 500n * k));
    await anvil.submit({ from: thief, to: router.address, data });
    const found = async () => vigil.alerts(`contractId:${id}`);
    await until(async () => (await found()).length > 0);
    const [pending] = await found();
    expect(pending).toMatchObject({ finality: 'PENDING', severity: 'HIGH' });
    await anvil.mine();
    await anvil.setAutomine(true);
    await settled();
    await until(async () => (await found())[0]?.finality === 'HEAD');
    expect(await found()).toMatchObject([{ uid: pending!.uid, severity: 'HIGH' }]);
  });

  it('a robbery of coins and tokens is judged by tvl_drop while it is pending, and is the same alert in its block', async () => {
    const [owner, , thiefOwner] = anvil.accounts;
    const vault = await anvil.deploy(artifacts.OpenVault);
    const usdc = await anvil.deploy(artifacts.Token, 'Dollar', 'USDC', 6, 10n ** 15n);
    const batch = await anvil.deploy(artifacts.Batch);
    const coin = await anvil.deploy(artifacts.WrappedCoin);
    await anvil.send({ from: owner, to: vault.address, value: 50n * ether });
    await vault.send(owner, 'wrap', coin.address, 50n * ether);
    await usdc.send(owner, 'transfer', vault.address, 500n * k);
    const id = await vigil.addContract(vault.address);
    const tokens = [{ token: usdc.address, threshold: '10%' }];
    await vigil.addDetector(id, 'tvl_drop', { tokens, pending: true });
    await vigil.informed();
    await anvil.mine();
    await settled();
    await anvil.setAutomine(false);
    const data = batch.encode(
      'run',
      [vault.address, vault.address],
      [
        vault.encode('pay', usdc.address, thiefOwner, 300n * k),
        vault.encode('unwrapTo', coin.address, thiefOwner, 40n * ether),
      ],
    );
    await anvil.submit({ from: thiefOwner, to: batch.address, data });
    const found = async () => vigil.alerts(`contractId:${id}`);
    await until(async () => (await found()).length === 2);
    const pending = await found();
    for (const each of pending) expect(each).toMatchObject({ finality: 'PENDING', severity: 'CRITICAL' });
    await anvil.mine();
    await anvil.setAutomine(true);
    await settled();
    await until(async () => (await found()).every(({ finality }: Json) => finality === 'HEAD'));
    const mined = await found();
    const uids = (alerts: Json[]) =>
      alerts.map(({ uid }): string => uid).toSorted((a, b) => a.localeCompare(b));
    expect(uids(mined.filter(({ txHash }: Json) => txHash !== null))).toEqual(uids(pending));
    expect(new Set(mined.map(({ incidentUid }: Json) => incidentUid)).size).toBe(1);
    expect(await vigil.alerts(`contractId:${id} AND status:RETRACTED`)).toEqual([]);
  });
});

describe('what is recommended', () => {
  it('is tried on the last day, and then proposed with limits above what was usual there', async () => {
    const [owner, someone] = anvil.accounts;
    const vault = await anvil.deploy(artifacts.SilentVault);
    await vault.send({ from: owner, value: 100n * ether }, 'deposit');
    await vault.send(owner, 'sweep', someone, 30n * ether);
    const id = await vigil.addContract(vault.address);
    const recommend = async (body: Json = {}) => {
      const { data } = await vigil.ok('POST', `contract/${id}/recommend`, body);
      return new Map<string, Json>(data.map((each: Json) => [each.schemaName, each]));
    };
    expect((await recommend()).get('drain')).toMatchObject({ config: {}, past: null });
    const started = await recommend({ backtest: true });
    expect(started.get('drain')!.past).toMatchObject({ fromBlock: 0, uid: expect.any(String) });
    await until(async () => {
      const all = await recommend();
      return ['drain', 'tvl_drop'].every((name) => all.get(name)!.past.state === 'DONE');
    });
    const fitted = await recommend({ backtest: true });
    expect(fitted.get('drain')).toMatchObject({
      config: { share: 36 },
      reason: expect.stringContaining(
        'it would have raised 1 HIGH at the usual limit, so that 36 % is proposed.',
      ),
      past: { uid: started.get('drain')!.past.uid, alerts: 1 },
    });
    expect(fitted.get('tvl_drop')!.config).toMatchObject({ nativeThreshold: '36%', foundThreshold: '36%' });
    const enabled = await recommend({ enable: ['drain'] });
    const { config } = await vigil.ok('GET', `detector/${enabled.get('drain')!.detectorId}`);
    expect(config).toMatchObject({ share: 36 });
  });
});
