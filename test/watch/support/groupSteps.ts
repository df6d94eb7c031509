import { alertUid } from '../../../src/alerts/alertUid.ts';
import type { Finding, Severity } from '../../../src/model/alert.ts';
import type { AlertWrite } from '../../../src/model/alertWrite.ts';
import type { BlockRef } from '../../../src/model/block.ts';
import type { Db } from '../../../src/store/db/db.ts';
import {
  insertPendingAlerts,
  markGone,
  markMined,
  unmineAbove,
} from '../../../src/store/watch/pendingAlerts.ts';
import type { Random } from '../../../testing/createRandom.ts';

export const chainUid = 'anvil';
export const tenants = [1, 2, 3, 4, 5, 6];
export const startAt = Date.UTC(2026, 2, 1);

/** One step of a chain: what it stores itself, and what it returns for alerts. */
export type Step = { at: number; apply(tx: Db): Promise<AlertWrite[]> };

type Transaction = { hash: string; nonce: number; findings: readonly Finding[] };

/** Blocks, forks and pending transactions, with findings of several tenants. */
export function createSteps(random: Random, count: number): Step[] {
  const blocks: (BlockRef & { mined: Transaction[] })[] = [];
  const pool: Transaction[] = [];
  /** Those that have alerts although no block has them. */
  const raised = new Set<Transaction>();
  let made = 0;

  function transaction(): Transaction {
    const hash = `0x${(++made).toString(16).padStart(64, '0')}`;
    const findings = Array.from({ length: random.integer(1, 4) }, (_, n) => finding(hash, `${n}`));
    return { hash, nonce: made, findings };
  }

  function finding(txHash: string, place: string): Finding {
    return toFinding(random.pick(tenants), random.pick(['LOW', 'HIGH', 'CRITICAL']), txHash, place);
  }

  function block(at: number): Step {
    const number = blocks.length + 1;
    const ref = { number, hash: `0x${(++made).toString(16)}b` };
    const returned = pool.filter(() => random.chance(0.5));
    const mined = [...returned, ...Array.from({ length: random.below(4) }, transaction)];
    for (const one of returned) {
      pool.splice(pool.indexOf(one), 1);
      raised.delete(one);
    }
    blocks.push({ ...ref, mined });
    const findings = mined.flatMap((one) =>
      one.findings.map((each) => ({ ...each, timestamp: at, blockNumber: number, blockHash: ref.hash })),
    );
    return {
      at,
      async apply(tx) {
        const hashes = mined.map(({ hash }) => ({ hash, block: ref, isTraced: true }));
        await markMined(tx, chainUid, hashes, at);
        return [{ type: 'raise', of: 'blocks', findings }];
      },
    };
  }

  function pending(at: number): Step {
    const one = transaction();
    pool.push(one);
    raised.add(one);
    const findings = one.findings.map((each) => ({ ...each, timestamp: at, isPending: true }));
    return {
      at,
      async apply(tx) {
        const rows = findings.map((each) => ({
          txHash: one.hash,
          tenantId: each.tenantId,
          source: `detector ${each.tenantId}`,
          place: each.place ?? '',
          uid: alertUid(each),
          timestamp: each.timestamp,
          sender: '0x1',
          nonce: one.nonce,
          maxFee: '1',
          tip: null,
          needsTrace: false,
        }));
        await insertPendingAlerts(tx, chainUid, rows, at);
        return [{ type: 'raise', of: 'pending', findings }];
      },
    };
  }

  function replace(at: number): Step {
    const gone = random.pick([...raised]);
    raised.delete(gone);
    pool.splice(pool.indexOf(gone), 1);
    return {
      at,
      async apply(tx) {
        const alerts = await markGone(tx, chainUid, [gone.hash], at);
        return [{ type: 'retractPending', alerts, reason: 'REPLACED' }];
      },
    };
  }

  function reorganise(at: number): Step {
    const dropped = blocks.splice(-random.integer(1, Math.min(3, blocks.length)));
    pool.push(...dropped.flatMap(({ mined }) => mined));
    const height = blocks.length;
    return {
      at,
      async apply(tx) {
        await unmineAbove(tx, chainUid, height, at);
        return [{ type: 'retractBlocks', blocks: dropped.map(({ number, hash }) => ({ number, hash })) }];
      },
    };
  }

  return Array.from({ length: count }, (_, n) => {
    const at = startAt + n * 12_000;
    const chance = random.random();
    if (chance < 0.2) return pending(at);
    if (chance < 0.27 && raised.size > 0) return replace(at);
    if (chance < 0.4 && blocks.length > 2) return reorganise(at);
    return block(at);
  });
}

function toFinding(tenantId: number, severity: Severity, txHash: string, place: string): Finding {
  return {
    tenantId,
    projectId: tenantId,
    contractId: tenantId,
    kind: 'detector',
    group: 'SECURITY',
    severity,
    timestamp: 0,
    key: `${txHash} ${place}`,
    eid: place,
    name: 'Found',
    message: `Found ${place} in ${txHash}`,
    meta: { place },
    tags: [],
    txHash,
    place,
    chainUid,
    cause: `cause ${tenantId}`,
    detectorId: tenantId,
  };
}

/** The nth finding in a block. */
export function findingIn({ number, hash }: BlockRef, n: number): Finding {
  const found = toFinding(1, 'HIGH', `0x${n}f`, '0');
  return { ...found, timestamp: startAt, blockNumber: number, blockHash: hash };
}
