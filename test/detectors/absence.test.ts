import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishDetectors } from '../../src/services/detectors/publishDetectors.ts';
import { findNewestAlert } from '../../src/store/alerts/findNewestAlert.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import { useChain } from '../../testing/useChain.ts';
import { type NotifyWorld, startNotifyWorld } from '../notify/support/notifyWorld.ts';

const chain = useChain();
/** Of ten minutes, looks are 50 s apart, and blocks that are 150 s apart leave a hole. */
const within = '10 min';

async function deployToken() {
  const token = await chain.anvil.deploy(artifacts.Token, 'Token', 'TKN', 18, 1000n);
  await passTime(100);
  return token;
}

/** Blocks every 100 seconds until so much time has passed. */
async function passTime(seconds: number): Promise<void> {
  const { timestamp } = await chain.anvil.block();
  for (let at = 100; at <= seconds; at += 100) {
    await chain.anvil.setTime(Number(timestamp) + at);
    await chain.anvil.mine();
  }
}

describe('absence', () => {
  it('reports once that an event stayed away, up to which block it looked, and when it came again', async () => {
    const [owner, other] = chain.anvil.accounts;
    const token = await deployToken();
    const observer = await chain.watch(
      'absence',
      {
        what: 'EVENT',
        signature: 'Transfer(address indexed from, address indexed to, uint256 value)',
        within,
      },
      token,
    );
    await token.send(owner, 'transfer', other, 1n);
    const last = await chain.anvil.block();
    await passTime(600);
    expect(await observer.catchUp()).toEqual([]);
    await passTime(200);
    const found = await observer.catchUp();
    const lastAt = new Date(Number(last.timestamp) * 1000).toISOString();
    expect(found).toMatchObject([
      {
        severity: 'HIGH',
        message: expect.stringMatching(
          new RegExp(
            `^The event Transfer of Watched did not come within 10 min: the last one was at ${lastAt}.* All blocks up to \\d+ were looked at\\.$`,
          ),
        ),
        meta: { what: 'EVENT', lastAt, lastBlock: Number(last.number), silentSeconds: 700 },
      },
    ]);
    expect(found[0]!.meta.lookedUntilBlock).toBeGreaterThan(Number(last.number) + 5);
    await passTime(2000);
    expect(await observer.catchUp()).toEqual([]);
    await token.send(owner, 'transfer', other, 1n);
    expect(await observer.catchUp()).toMatchObject([
      {
        severity: 'INFO',
        isEnd: true,
        message: expect.stringMatching(/^The event Transfer came again after \d+ min\.$/),
      },
    ]);
    await passTime(900);
    expect(await observer.catchUp()).toMatchObject([{ severity: 'HIGH' }]);
    expect(observer.faults).toEqual([]);
  });

  it('counts calls of the keeper that is named, successful ones only, and begins to count when it is added', async () => {
    const [owner, stranger] = chain.anvil.accounts;
    const token = await deployToken();
    await token.send(owner, 'pause');
    await passTime(2000);
    const settings = { what: 'CALL', signature: 'pause()', within };
    const byKeeper = await chain.watch('absence', { ...settings, from: [owner] }, token);
    const byStranger = await chain.watch('absence', { ...settings, from: [stranger] }, token);
    await passTime(400);
    await token.send(owner, 'unpause');
    await token.send(owner, 'pause');
    await chain.anvil.send({ from: stranger, to: token.address, data: token.encode('pause') });
    expect(await byKeeper.catchUp()).toEqual([]);
    await passTime(500);
    expect(await byKeeper.catchUp()).toEqual([]);
    expect(await byStranger.catchUp()).toMatchObject([
      {
        message: expect.stringMatching(
          /^A call of pause of Watched did not come within 10 min: none has come since counting began at /,
        ),
      },
    ]);
  });

  it('counts no time in which no block was seen, such as a halt of the chain or blocks that no one could read', async () => {
    const [owner] = chain.anvil.accounts;
    const observer = await chain.watch('absence', { what: 'TRANSACTION', within }, { address: owner });
    await passTime(500);
    expect(await observer.catchUp()).toEqual([]);
    const { timestamp } = await chain.anvil.block();
    await chain.anvil.setTime(Number(timestamp) + 7200);
    await chain.anvil.mine();
    await passTime(500);
    expect(await observer.catchUp()).toEqual([]);
    // Blocks that it was not shown.
    await passTime(3000);
    await observer.skip();
    await passTime(500);
    expect(await observer.catchUp()).toEqual([]);
    await passTime(400);
    expect(await observer.catchUp()).toHaveLength(1);
  });

  it('looks for alerts by the clock, reports when they come again, and does not count the time in which Vigil was down', async () => {
    const [address] = chain.anvil.accounts;
    let newest: { uid: string; timestamp: number } | null = null;
    const observer = await chain.watch(
      'absence',
      { what: 'ALERT', within },
      { address, newestAlert: () => newest },
    );
    const from = Math.floor(Date.now() / 50_000) * 50_000;
    const pass = async (seconds: number, at: number) => {
      const found = [];
      for (let step = 50; step <= seconds; step += 50)
        found.push(...(await observer.clock(at + step * 1000)));
      return found;
    };
    expect(await pass(500, from)).toEqual([]);
    // Down for an hour.
    const later = from + 4_100_000;
    expect(await pass(500, later)).toEqual([]);
    expect(await pass(300, later + 500_000)).toMatchObject([
      {
        severity: 'HIGH',
        message: expect.stringMatching(/^An alert did not come within 10 min: none has come since/),
      },
    ]);
    newest = { uid: 'a', timestamp: later + 820_000 };
    expect(await pass(100, later + 800_000)).toMatchObject([
      {
        severity: 'INFO',
        meta: { lastAlert: 'a' },
        message: expect.stringMatching(/came again after \d+ min/),
      },
    ]);
    expect(observer.faults).toEqual([]);
  });
});

describe('absence, as the API and the store have it', () => {
  let world: NotifyWorld;
  beforeAll(async () => {
    world = await startNotifyWorld();
  });
  afterAll(() => world?.stop());

  it('reads the newest alert of the tenant and the contract that matches, however it came', async () => {
    const at = Date.now();
    const { tenantId, contractId, store } = world;
    const find = (question: object) =>
      findNewestAlert(
        store,
        { tenantId, query: '', contractId, since: at - 3_600_000, ...question },
        Date.now(),
      );
    expect(await find({})).toBeNull();
    const [first, second] = await world.push(
      { severity: 'HIGH', timestamp: at - 60_000 },
      { severity: 'LOW', timestamp: at - 30_000 },
    );
    expect(await find({})).toEqual({ uid: second, timestamp: at - 30_000 });
    expect(await find({ query: 'severity:HIGH OR severity:CRITICAL' })).toEqual({
      uid: first,
      timestamp: at - 60_000,
    });
    expect(await find({ query: `detectorId:${world.detectorId}` })).toMatchObject({ uid: second });
    expect(await find({ since: at - 10_000 })).toBeNull();
    expect(await find({ contractId: contractId + 1 })).toBeNull();
    expect(await find({ tenantId: tenantId + 1 })).toBeNull();
  });

  it.each([
    [{ what: 'EVENT' }, '/config/signature', /is needed when what is EVENT/],
    [{ what: 'TRANSACTION', signature: 'Transfer' }, '/config/signature', /names an event or a function/],
    [{ what: 'EVENT', signature: 'Nothing' }, '/config/signature', /is a name alone/],
    [{ what: 'CALL', signature: 'pause()', within: '10 s' }, '/config/within', /from 1 min to 90 days/],
    [{ what: 'ALERT', query: 'severity:(' }, '/config/query', /./],
    [{ what: 'NOTHING' }, '/config/what', /one of/],
  ])('refuses %j, naming the member and the reason', async (config, pointer, message) => {
    await publishDetectors(world.store, Date.now());
    const { data } = await world.ok('POST', 'detector/schema/search', {
      where: "name = 'absence'",
      size: 1,
      sort: [{ field: 'id' }],
    });
    const { contractId } = world;
    const body = { contractId, schemaId: data[0].id, name: 'Keeper', config };
    const answer = await world.call('POST', 'detector', body);
    expect([400, 422]).toContain(answer.status);
    expect(answer.body.errors).toMatchObject([{ pointer, message: expect.stringMatching(message) }]);
  });
});
