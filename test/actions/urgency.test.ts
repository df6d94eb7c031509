import { Secp256k1 } from 'ox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { addGuard, type Guard } from './support/addGuard.ts';
import { addRoomyPlan } from './support/addRoomyPlan.ts';

/** More than one batch of calls that are not urgent. */
const flood = 130;

describe('an urgent action', () => {
  let anvil: Anvil;
  let vigil: TestWatch;
  let marks: Guard;
  /** Signed by the same wallet as the marks. */
  let beside: Guard;
  let own: Guard;
  beforeAll(async () => {
    anvil = await startAnvil();
    vigil = await startTestWatch({ anvil: { urls: [anvil.url], confirmations: 0 } });
    await addRoomyPlan(vigil);
    marks = await addArmed();
    beside = await addArmed({ walletId: marks.walletId });
    own = await addArmed();
  });
  afterAll(async () => {
    await vigil?.stop();
    await anvil?.stop();
  });

  async function addArmed(action: Json = {}): Promise<Guard> {
    const wallet = { privateKey: Secp256k1.randomPrivateKey(), maxHourlySpend: null };
    const guard = await addGuard(vigil, { wallet, action: { fireAt: 'head', ...action } });
    const { address } = await vigil.ok('GET', `wallet/${guard.walletId}`);
    await anvil.setBalance(address, 10n ** 24n);
    return guard;
  }

  /** How many calls of `others` were signed before the first one of the guard. */
  async function signedBefore(guard: Guard, others: Guard): Promise<number> {
    const [row] = await vigil.store.query<{ before: number }>(
      sql`select count(*)::int as before from action_intent o
        where o.action_id = ${others.actionId} and o.signed_at < (
          select min(i.signed_at) from action_intent i where i.action_id = ${guard.actionId})`,
    );
    return row!.before;
  }

  async function raiseAll(count: number, severity: string): Promise<void> {
    await marks.raise(count, { severity });
  }

  /** Lets everything be mined, looks at it, and forgets it. */
  async function settle(check: () => Promise<void>): Promise<void> {
    const actor = vigil.act();
    await until(async () => {
      const open = await vigil.store.query(
        sql`select 1 from action_intent where state in ('WAITING', 'SIGNED', 'SUBMITTED') limit 1`,
      );
      return open.length === 0;
    }, 120_000);
    await actor.stop();
    const failed = await vigil.store.query(sql`select reason from action_intent where state <> 'CONFIRMED'`);
    expect(failed).toEqual([]);
    await check();
    await vigil.store.query(sql`delete from action_transaction`);
    await vigil.store.query(sql`delete from action_intent`);
  }

  it('is sent before the many calls of its tenant that wait since longer, whatever wallet signs it', async () => {
    await raiseAll(flood, 'LOW');
    await own.raise(1, { severity: 'HIGH' });
    await beside.raise(1, { severity: 'CRITICAL' });
    await settle(async () => {
      expect(await signedBefore(own, marks)).toBeLessThanOrEqual(100);
      expect(await signedBefore(beside, marks)).toBeLessThanOrEqual(100);
    });
  });

  it('waits for no flood of alerts as severe as its own that fires another action', async () => {
    await raiseAll(flood, 'CRITICAL');
    await beside.raise(1, { severity: 'HIGH' });
    await own.raise(1, { severity: 'HIGH' });
    await settle(async () => {
      expect(await signedBefore(own, marks)).toBeLessThanOrEqual(100);
      expect(await signedBefore(beside, marks)).toBeLessThanOrEqual(100);
    });
  });

  it('is the one of the most severe alert where one action answers alerts of all kinds', async () => {
    await raiseAll(20, 'LOW');
    await raiseAll(20, 'HIGH');
    await raiseAll(1, 'CRITICAL');
    const [worst] = await vigil.store.query<{ id: number }>(
      sql`select id from action_intent where severity = 'CRITICAL'`,
    );
    await settle(async () => {
      const [first] = await vigil.store.query<{ id: number }>(
        sql`select id from action_intent where urgent order by nonce limit 1`,
      );
      expect(first).toEqual(worst);
    });
  });

  it('is marked by `urgent`, without which the severity of the alert decides, and a run by hand is one', async () => {
    const stored = async (members: Json, severity: string) => {
      const guard = await addArmed(members);
      await guard.raise(1, { severity });
      const [row] = await vigil.store.query<{ urgent: boolean }>(
        sql`select urgent from action_intent where action_id = ${guard.actionId}`,
      );
      return row!.urgent;
    };
    expect(await stored({}, 'MEDIUM')).toBe(false);
    expect(await stored({}, 'HIGH')).toBe(true);
    expect(await stored({ urgent: null }, 'CRITICAL')).toBe(true);
    expect(await stored({ urgent: false }, 'CRITICAL')).toBe(false);
    expect(await stored({ urgent: true }, 'INFO')).toBe(true);
    await vigil.store.query(sql`delete from action_intent`);
    await vigil.ok('POST', `action/${own.actionId}/execute`, { params: { id: 1 } });
    const [manual] = await vigil.store.query(sql`select urgent from action_intent`);
    expect(manual).toEqual({ urgent: true });
    const action = await vigil.ok('GET', `action/${own.actionId}`);
    expect(action.urgent).toBe(null);
    const { status, body } = await vigil.call('PUT', `action/${own.actionId}`, { urgent: 'yes' });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('/urgent');
  });
});
