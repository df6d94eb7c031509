import { storableJson } from '../../lib/json.ts';
import { sql } from '../../lib/sql.ts';
import type { HoldingSample } from '../../model/detection.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { inChunks } from '../db/inChunks.ts';

/** Holding of one asset after a block. */
export type ContractHolding = HoldingSample & {
  tenantId: number;
  contractId: number;
  timestamp: number;
  blockNumber: number;
  /** Taken because of an alert. */
  isAlerted: boolean;
};

const hourMs = 3_600_000;
const alertedMs = 600_000;

/** Samples of alerts have slots of their own, below 0, so that what was held before stays beside it. */
function slotOf({ timestamp, isAlerted }: ContractHolding): number {
  return isAlerted ? -1 - Math.floor(timestamp / alertedMs) : Math.floor(timestamp / hourMs);
}

/** Keeps the last sample of an asset in each slot of time. */
export async function saveHoldings(
  tx: Db,
  chainUid: string,
  samples: readonly ContractHolding[],
): Promise<void> {
  if (samples.length === 0) return;
  const latest = new Map(
    samples.map((sample) => {
      const slot = slotOf(sample);
      const row = { ...sample, slot, units: sample.units.toString(), usd: sample.usd ?? null };
      return [`${sample.contractId} ${sample.asset} ${slot}`, row];
    }),
  );
  await tx.prepared(
    sql`insert into holding_sample as h
        (tenant_id, contract_id, asset, slot, timestamp, chain_uid, block_number, symbol, decimals, units, usd)
      select r."tenantId", r."contractId", r.asset, r.slot, r.timestamp, ${chainUid}, r."blockNumber", r.symbol,
        r.decimals, r.units, r.usd
      from json_to_recordset(${storableJson([...latest.values()])}::json) as r("tenantId" bigint, "contractId" bigint,
        asset text, slot bigint, timestamp bigint, "blockNumber" bigint, symbol text, decimals smallint, units text,
        usd text)
      on conflict (tenant_id, contract_id, asset, slot) do update set
        timestamp = excluded.timestamp, chain_uid = excluded.chain_uid, block_number = excluded.block_number,
        symbol = excluded.symbol, decimals = excluded.decimals, units = excluded.units, usd = excluded.usd
      where h.timestamp <= excluded.timestamp`,
  );
}

/** Forgets what was seen in blocks that left the chain. */
export async function deleteHoldingsAbove(tx: Db, chainUid: string, height: number): Promise<void> {
  await tx.query(sql`delete from holding_sample where chain_uid = ${chainUid} and block_number > ${height}`);
}

export type StoredHolding = Omit<ContractHolding, 'units' | 'usd' | 'isAlerted'> & {
  units: string;
  usd: string | null;
};

/** The last sample of each asset in each step of time, oldest first. */
export async function findHoldings(
  db: Db,
  { tenantId, id }: { tenantId: number; id: number },
  { from, to, stepMs, limit }: { from: number; to: number; stepMs: number; limit: number },
): Promise<
  Pick<StoredHolding, 'asset' | 'timestamp' | 'blockNumber' | 'symbol' | 'decimals' | 'units' | 'usd'>[]
> {
  return db.query(
    sql`select s.asset, s.timestamp, s."blockNumber", s.symbol, s.decimals, s.units, s.usd from (
        select distinct on (h.asset, h.step) h.* from (
          select asset, timestamp, block_number as "blockNumber", symbol, decimals, units, usd,
            timestamp / ${stepMs}::bigint as step
          from holding_sample
          where tenant_id = ${tenantId} and contract_id = ${id} and timestamp between ${from} and ${to}) h
        order by h.asset, h.step, h.timestamp desc) s
      order by s.timestamp desc, s.asset limit ${limit}`,
  );
}

export async function purgeHoldings(db: Db, before: number): Promise<void> {
  await inChunks(async (limit) => {
    const rows = await db.query<{ count: number }>(
      sql`with gone as (delete from holding_sample where ctid = any(array(
          select ctid from holding_sample where timestamp < ${before} limit ${limit})) returning 1)
        select count(*) as count from gone`,
    );
    return onlyRow(rows).count;
  });
}
