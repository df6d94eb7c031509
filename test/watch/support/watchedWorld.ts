import { createHash } from 'node:crypto';
import type { ChainUid } from '../../../src/chains/chains.ts';
import { sql } from '../../../src/lib/sql.ts';
import { termHash } from '../../../src/query/termHash.ts';
import { incidentUidSql } from '../../../src/store/search/documents/incidentUidSql.ts';
import { txHashSql } from '../../../src/store/search/documents/packedHashes.ts';
import type { Random } from '../../../testing/createRandom.ts';
import type { BlockSpec, LogSpec, TxSpec } from '../../../testing/simulator/buildBlock.ts';
import type { SimState } from '../../../testing/simulator/handleRpc.ts';
import { startTestWatch, type TestWatch } from '../../../testing/startTestWatch.ts';
import { readRollups } from '../../support/readRollups.ts';

export const token = `0x${'11'.repeat(20)}`;
export const vault = `0x${'22'.repeat(20)}`;
const people = ['33', '44', '55', '66'].map((byte) => `0x${byte.repeat(20)}`);
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const ownershipTopic = '0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0';

/** What a node answers about the state: balances follow from the block, so that every branch has its own. */
export const worldState: SimState = {
  call({ data = '0x', to = '' }, { hash }) {
    switch (data.slice(0, 10)) {
      case '0x313ce567':
        return word(18n);
      case '0x70a08231':
        return word(balanceAt(`${hash}${to}${data}`));
      case '0x18160ddd':
        return word(10n ** 27n);
      default:
        return '0x';
    }
  },
  balance: (address, { hash }) => balanceAt(`${hash}${address}`),
};

/** Between one and two million whole coins. */
function balanceAt(what: string): bigint {
  const share = createHash('sha256').update(what).digest().readUInt32BE(0);
  return 10n ** 24n + (10n ** 24n * BigInt(share)) / 2n ** 32n;
}

/** Vigil on a database of its own with detectors and triggers that remember; each call makes the same records with the same ids. */
export async function startWatchedWorld(
  chainUid: ChainUid,
  urls: readonly string[],
  isPutOff?: () => boolean,
): Promise<TestWatch> {
  const vigil = await startTestWatch({ [chainUid]: { urls, startBlock: 1 } }, undefined, { isPutOff });
  await vigil.store.query(sql`update plan set detector_rate_limit = 1000000000`);
  const tokenId = await vigil.addContract(token, { name: 'Token', chainUid });
  const vaultId = await vigil.addContract(vault, { name: 'Vault', chainUid });
  await vigil.addDetector(tokenId, 'large_transfer', { threshold: '900000' });
  await vigil.addDetector(tokenId, 'ownership_change');
  await vigil.addDetector(tokenId, 'custom_event', {
    signature: 'Transfer(address indexed from, address indexed to, uint256 value)',
    expression: 'e.args.value % 3n === 0n',
    cooldown: '1 min',
  });
  await vigil.addDetector(vaultId, 'outflow_rate', { token, window: '10 min', limit: '100%', factor: 2 });
  await vigil.addDetector(vaultId, 'tvl_drop', { nativeThreshold: '40%' });
  await vigil.addDetector(vaultId, 'wallet_balance', { token: 'native', condition: '<< 1100000' });
  await vigil.addDetector(vaultId, 'gas_anomaly', { z: 2, minSamples: 5 });
  await vigil.addDetector(vaultId, 'failed_tx_spike', { atLeast: 3, within: '5 min' });
  for (const [triggerType, params] of [
    ['SUCCESSFUL_TX', {}],
    ['BALANCE_CHANGE', { token, condition: '> 1500000' }],
    ['ERC20_TRANSFER', { minAmount: '950000' }],
  ] as const) {
    await vigil.ok('POST', 'trigger', {
      contractId: vaultId,
      name: triggerType,
      triggerType,
      params,
      alerts: [{ severity: 'HIGH', name: triggerType, message: `${triggerType} happened` }],
    });
  }
  return vigil;
}

/** A block in which now and then something happens that somebody watches. */
export function randomBlock(random: Random): BlockSpec {
  const txs: TxSpec[] = [];
  while (random.chance(0.45)) txs.push(randomTransaction(random));
  return { txs };
}

function randomTransaction(random: Random): TxSpec {
  const logs: LogSpec[] = [];
  const party = () => random.pick([vault, ...people]);
  while (random.chance(0.5))
    logs.push(transfer(party(), party(), BigInt(random.below(1_000_000)) * 10n ** 18n));
  if (random.chance(0.05)) logs.push(newOwner(random));
  return {
    from: random.pick(people),
    to: random.chance(0.5) ? vault : token,
    input: random.pick(['0x', '0xa9059cbb', '0x12345678']),
    gasUsed: 30_000 + random.below(random.chance(0.05) ? 2_000_000 : 1000),
    status: logs.length > 0 || random.chance(0.6),
    logs,
  };
}

export function transfer(from: string, to: string, amount: bigint): LogSpec {
  return { address: token, topics: [transferTopic, toTopic(from), toTopic(to)], data: word(amount) };
}

export function newOwner(random: Random): LogSpec {
  const owner = random.pick(people);
  // Who stays the owner is no news.
  const next = random.pick(people.filter((person) => person !== owner));
  return { address: token, topics: [ownershipTopic, toTopic(owner), toTopic(next)] };
}

const toTopic = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`;
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;

/** Everything that watching has left in the store, as far as it depends on the chain alone. */
export async function dumpWatch({ store }: TestWatch) {
  const [alerts, rollups, states, faults] = await Promise.all([
    store.query<{ row: Record<string, unknown> }>(
      sql`select to_jsonb(a) as row from alert a where retracted_at is null order by timestamp, uid`,
    ),
    readRollups(store),
    store.query(sql`select kind, id, state from watch_state order by kind, id`),
    store.query(sql`select kind, id, message from watch_fault`),
  ]);
  return { alerts: alerts.map(({ row }) => withoutIncident(row)), rollups, states, faults };
}

/** Which repetitions belong together depends on when they were found. */
function withoutIncident({
  incident_uid: uid,
  incident_at: _startedAt,
  terms,
  ...row
}: Record<string, unknown>): Record<string, unknown> {
  const hash = termHash(Number(row.tenant_id), 'incidentUid', String(uid));
  return { ...row, terms: (terms as number[]).filter((term) => term !== hash) };
}

/** Alerts of one transaction in two incidents, and incidents that do not fit their alerts. */
export async function findIncidentFaults({ store }: TestWatch): Promise<unknown[]> {
  return store.query(
    sql`select 'split' as fault, min(${txHashSql}) as what from alert t
        where ${txHashSql} is not null and retracted_at is null
        group by tenant_id, chain_uid, ${txHashSql} having count(distinct ${incidentUidSql}) <> 1
      union all
      select 'count', i.uid::text from incident i left join (
        select t.tenant_id, ${incidentUidSql} as incident, count(*) as alerts,
          count(*) filter (where not t.is_resolved) as open, max(t.numeric_severity) as worst
        from alert t where t.retracted_at is null group by 1, 2
      ) c on c.tenant_id = i.tenant_id and c.incident = i.uid
      where (i.alerts, i.open_alerts) <> (coalesce(c.alerts, 0), coalesce(c.open, 0)) or i.numeric_severity <> c.worst
      union all
      select 'without a row', c.incident::text from (
        select t.tenant_id, ${incidentUidSql} as incident, count(*) as alerts, count(t.incident_at) as starts
        from alert t group by 1, 2
      ) c left join incident i on i.tenant_id = c.tenant_id and i.uid = c.incident
      where c.incident is not null and i.uid is null and (c.alerts > 1 or c.starts <> 1)`,
  );
}
