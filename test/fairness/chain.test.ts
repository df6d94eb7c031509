import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { sized } from '../../testing/proveSize.ts';
import type { Anvil } from '../../testing/startAnvil.ts';
import type { Answer, Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { type AlertStream, openAlertStream } from './support/alertStream.ts';
import { type Arena, password, startChainArena, type Tenant } from './support/arena.ts';
import { createResults, mean, twice } from './support/results.ts';
import { tally } from './support/tally.ts';

/** Each is another text, since equal scripts over equal values may be run once for all. */
const loop = (n: number) => `while (true) {} return ${n}`;
/** Not on the sample that a filter is tried on when it is saved. */
const loopLater = (n: number) => `if (e.eid === 'sample') return true; ${loop(n)}`;

/** Four times what one script may take: a core that another program or a script of the attacker has at the moment. */
const noiseMs = 200;

describe('one tenant’s work on chains', { timeout: 600_000 }, () => {
  const results = createResults();
  let arena: Arena & { anvil: Anvil };
  let anvil: Anvil;
  let victim: Tenant;
  let attacker: Tenant;
  let [own, other]: Contract[] = [];
  /** What the victim is told, as it happens. */
  let stream: AlertStream;

  beforeAll(async () => {
    arena = await startChainArena();
    ({ anvil, victim, attacker } = arena);
    own = await anvil.deploy(artifacts.Victim);
    other = await anvil.deploy(artifacts.Victim);
    const contractId = await victim.addContract(own.address);
    // One with a script and one without: neither may wait for the scripts of others.
    await victim.addDetector(contractId, 'custom_tx', { expression: 'e.nonce >= 0' });
    await victim.addDetector(contractId, 'custom_event', {
      signature: 'Ping(uint256 id, address who, string note)',
    });
    stream = await openAlertStream(arena.vigil.url, victim.token, { query: 'detectorId:*' });
    await until(async () => {
      await ping(own!);
      await sleep(300);
      return stream.events.length >= 2;
    });
  });
  afterAll(async () => {
    stream?.close();
    await arena?.stop();
    results.print();
  });

  const ping = (...contracts: Contract[]) =>
    anvil.sendTogether(
      contracts.map((contract) => ({ to: contract.address, data: contract.encode('ping', 1n, 'hello') })),
    );

  /** Mines a block that concerns all of the contracts, and waits until the victim has both of its alerts. */
  async function blockToAlert(...contracts: Contract[]): Promise<number> {
    const minedAt = performance.now();
    const [receipt] = await ping(...contracts);
    const found = () => stream.events.filter(({ alert }) => alert.txHash === receipt!.transactionHash);
    await until(() => found().length >= 2, 240_000);
    return Math.max(...found().map(({ at }) => at)) - minedAt;
  }

  const repeat = async (count: number, work: () => Promise<number>): Promise<number[]> => {
    const values: number[] = [];
    for (let n = 0; n < count; n++) values.push(await work());
    return values;
  };

  it('detectors that loop delay no other tenant’s alert, are reported and switched off', async () => {
    const loops = sized(12, 90);
    const blocks = sized(4, 6);
    const contractId = await attacker.addContract(other!.address);
    const first = await anvil.blockNumber();
    let detectorIds: number[] = [];
    await results.hold(
      { attack: `${loops} custom_tx detectors that loop`, measure: 'block to alert of another tenant' },
      async () => {
        for (const id of detectorIds) await attacker.ok('DELETE', `detector/${id}`);
        detectorIds = [];
        const quiet = mean(await repeat(blocks, () => blockToAlert(own!)));
        for (let n = 0; n < loops; n++)
          detectorIds.push(
            await attacker.addDetector(
              contractId,
              'custom_tx',
              { expression: loop(n) },
              { name: `Loop ${n}` },
            ),
          );
        // Changes take effect within a second.
        await sleep(1500);
        const attacked = mean(await repeat(blocks, () => blockToAlert(own!, other!)));
        return { quiet, attacked, limit: twice(quiet, noiseMs) };
      },
    );
    // Enough for a switch-off after five blocks; those that wait meanwhile need no further ones.
    for (let n = 0; n < 4; n++) await ping(own!, other!);
    const off = await until(async () => {
      const { data } = await attacker.ok('POST', 'detector/search', {
        where: "status = 'DISABLED'",
        size: 100,
      });
      return data.length >= sized(1, loops) ? (data as Json[]) : undefined;
    }, 240_000);
    for (const { id } of off)
      expect(await attacker.ok('GET', `detector/${id}/fault`)).toMatchObject({
        works: false,
        message: expect.stringContaining('Switched off'),
      });
    const told = await attacker.ok('POST', 'alert/search', { query: 'name:"Detector switched off"' });
    expect(told.data.length).toBeGreaterThan(0);
    for (const id of detectorIds) await attacker.ok('DELETE', `detector/${id}`);
    const last = await anvil.blockNumber();
    const alerts: Json[] = (
      await victim.ok('POST', 'alert/search', {
        size: 10_000,
        query: `blockNumber:[${first + 1n} TO ${last}]`,
      })
    ).data;
    const perTransaction = groupBy(alerts, ({ txHash }) => String(txHash));
    expect(perTransaction.size).toBeGreaterThanOrEqual(2 * blocks);
    for (const [hash, raised] of perTransaction) expect(raised.length, hash).toBe(2);
  });

  it('alerts whose action filter loops delay no other tenant’s call', async () => {
    const alerts = sized(40, 100);
    const calls = sized(4, 10);
    const guard = await addAction(victim, own!);
    const hostile: Awaited<ReturnType<typeof addAction>>[] = [];
    for (let n = 0; n < 4; n++) hostile.push(await addAction(attacker, other!, loopLater(n)));
    await results.hold(
      {
        attack: `${alerts} alerts whose action filter loops`,
        measure: 'alert to signed call of another tenant',
      },
      async () => {
        const quiet = mean(await repeat(calls, guard.alertToCall));
        for (const { push } of hostile) await push(alerts / hostile.length);
        const attacked = mean(await repeat(calls, guard.alertToCall));
        return { quiet, attacked, limit: twice(quiet, noiseMs) };
      },
    );
    // What still waits must not disturb the next test.
    for (const { stop } of hostile) await stop();
  });

  let pushed = 0;

  async function addAction(tenant: Tenant, { address }: Contract, scriptFilter = 'true') {
    const contractId = await tenant
      .addContract(address, { name: `Guarded ${++pushed}`, chainUid: 'anvil' })
      .catch(
        async () => (await tenant.ok('POST', 'contract/search', { where: `chainUid = 'anvil'` })).data[0].id,
      );
    const detectorId = await tenant.addDetector(contractId, 'pause_state', {}, { source: 'EXTERNAL' });
    const wallet = await tenant.ok('POST', 'wallet', {
      chainUid: 'anvil',
      name: 'Guardian',
      allowedCalls: null,
    });
    await anvil.setBalance(wallet.address, 10n ** 21n);
    const { id: actionId } = await tenant.ok('POST', 'action', {
      contractId,
      walletId: wallet.id,
      name: 'Ping',
      funcSignature: 'ping(uint256 id, string note)',
      params: [{ name: 'note', value: 'by Vigil' }],
      fireAt: 'head',
      detectors: [{ detectorId, scriptFilter, scriptParams: { id: 'e.meta.number' } }],
    });
    const push = (count: number) =>
      tenant.ok('POST', `detector/${detectorId}/alert`, {
        alerts: Array.from({ length: count }, () => ({
          eid: `attack ${++pushed}`,
          message: 'An attack.',
          meta: { number: pushed },
        })),
      });
    const count = async () => Number(await anvil.rpc('eth_getTransactionCount', wallet.address, 'pending'));
    return {
      push,
      stop: () => tenant.ok('DELETE', `action/${actionId}`),
      async alertToCall(): Promise<number> {
        const before = await count();
        const pushedAt = performance.now();
        await push(1);
        await until(async () => (await count()) > before, 240_000);
        return performance.now() - pushedAt;
      },
    };
  }

  it('expensive searches of records keep no other tenant from logging in, watching and firing', async () => {
    const seconds = sized(3, 30);
    const rows = sized(500, 3000);
    await addLongLabels(rows);
    const guard = await addAction(victim, own!);
    const logins: number[] = [];
    const attacks: Answer[] = [];
    /** The test waits for the last searches only to measure again; the end of the program ends them. */
    let attackers: Promise<unknown>[] = [];
    const failures: unknown[] = [];
    await results.hold(
      {
        attack: '24 searches at once of 200 like clauses',
        measure: 'block to alert and call of another tenant',
      },
      async () => {
        await Promise.all(attackers);
        const measure = async () => (await blockToAlert(own!)) + (await guard.alertToCall());
        const quiet = mean(await repeat(4, measure));
        const clauses = await mostClauses();
        const until = performance.now() + seconds * 1000;
        const go = async (work: () => Promise<unknown>, pauseMs: number) => {
          while (performance.now() < until) {
            await work();
            await sleep(pauseMs);
          }
        };
        const values: number[] = [];
        attackers = Array.from({ length: 24 }, () =>
          go(async () => attacks.push(await searchLabels(clauses)), 5).catch((error: unknown) =>
            failures.push(error),
          ),
        );
        await Promise.all([
          go(async () => logins.push((await login(victim)).status), 200),
          go(async () => values.push(await measure()), 100),
        ]);
        // Two measurements, each with its noise, and searches that use the processors as well.
        return { quiet, attacked: mean(values), limit: twice(quiet, 3 * noiseMs) };
      },
    );
    console.log('answers to the attack', tally(attacks.map(({ status }) => status)), 'logins', tally(logins));
    expect(new Set(logins)).toEqual(new Set([200]));
    expect(failures).toEqual([]);
  });

  const login = ({ email }: Tenant) =>
    arena.vigil.call('POST', 'auth/login', { email, password }, { token: null });

  async function addLongLabels(rows: number): Promise<void> {
    const note = 'abcdefghij'.repeat(900);
    for (let from = 0; from < rows; from += 500) {
      const lines = Array.from(
        { length: 500 },
        (_, n) => `0x${(from + n + 1).toString(16).padStart(40, '0')},${note}`,
      );
      await attacker.ok('POST', 'label/import', { csv: `address,note\n${lines.join('\n')}\n` });
    }
  }

  const searchLabels = (clauses: number) =>
    attacker.call('POST', 'label/search', {
      where: Array.from({ length: clauses }, (_, n) => `note like '%a%j%b%i%x${n}%'`).join(' or '),
    });

  /** As many clauses as are not refused for their cost, so that the attack is as expensive as it can be. */
  async function mostClauses(): Promise<number> {
    for (const clauses of [200, 100, 50, 20, 10, 5])
      if (!(await searchLabels(clauses)).text.includes('may cost')) return clauses;
    return 1;
  }
});

function groupBy<T, Key>(items: readonly T[], keyOf: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
