import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import type { Store } from '../../src/store/db/db.ts';
import { createSeededRandom, type SeededRandom } from '../../testing/seededRandom.ts';

const tenantCount = 50;
const contractCount = 2000;
const yearMs = 365 * 86_400_000;
const vocabularySize = 5000;
const syllables = [
  'ka',
  'lo',
  'mi',
  'ne',
  'ru',
  'sa',
  'ti',
  'vo',
  'xe',
  'zu',
  'ba',
  'do',
  'fi',
  'go',
  'hu',
  'ja',
];

export type AlertWorld = {
  /** The newest alert is about here. */
  end: number;
  hot: { tenantId: number; contractId: number };
  rare: { tenantId: number; contractId: number };
  nextFinding(): Finding;
};

/**
 * Zipf: the first contract has most alerts, the last hardly any. `total` of them, in the order of blocks, fill a year;
 * so many are `stored` already.
 */
export function createAlertWorld(end: number, total: number, stored: number): AlertWorld {
  const random = createSeededRandom(20_261_115);
  const rank = createZipf(random, contractCount, 1.05);
  const word = createZipf(random, vocabularySize, 1.1);
  const words = Array.from({ length: vocabularySize }, (_, n) => toWord(n));
  const place = (contract: number) => ({ tenantId: 1 + (contract % tenantCount), contractId: contract + 1 });
  let count = stored;
  const nextFinding = (): Finding => {
    count += 1;
    const { tenantId, contractId } = place(rank());
    const kind = random.pick(['detector', 'detector', 'detector', 'trigger', 'action'] as const);
    const message = Array.from({ length: 12 }, () => words[word()]!)
      .join(' ')
      .slice(0, 90);
    const hash = random.hex(64);
    return {
      tenantId,
      projectId: tenantId,
      contractId,
      kind,
      group: kind === 'detector' ? random.pick(['SECURITY', 'COMPLIANCE'] as const) : kind,
      severity: random.pick(['INFO', 'LOW', 'LOW', 'MEDIUM', 'MEDIUM', 'HIGH', 'CRITICAL'] as const),
      timestamp: end - yearMs + Math.floor(((count - random.next()) / total) * yearMs),
      key: String(count),
      eid: `e${count}`,
      name: random.pick([
        'Large transfer',
        'Ownership changed',
        'Role granted',
        'Contract paused',
        'Price moved',
      ]),
      message: count % 20_000 === 0 ? `${message} zyzzyva` : message,
      meta: {
        token: random.pick(['USDC', 'WETH', 'DAI', 'WBTC']),
        amount: asStored(Math.round(random.next() * 1e6) / 100, count),
        from: `0x${random.hex(40)}`,
      },
      tags: random.next() < 0.2 ? [random.pick(['defi', 'bridge', 'dao'])] : [],
      txHash: `0x${hash}`,
      chainUid: 'ethereum',
      blockNumber: 20_000_000 + count,
      ...(kind === 'detector' ? { detectorId: contractId } : {}),
      ...(kind === 'trigger'
        ? { triggerId: contractId, triggerType: 'FUNCTION_CALL', interceptorType: 'TRANSACTION' }
        : {}),
      ...(kind === 'action'
        ? {
            actionId: contractId,
            walletId: tenantId,
            walletName: 'Guardian',
            walletChainUid: 'ethereum',
            walletAddress: `0x${random.hex(40)}`,
          }
        : {}),
    };
  };
  return { end, hot: place(0), rare: place(contractCount - 50), nextFinding };
}

/** A tenth of all amounts are texts, as detectors store them. */
function asStored(amount: number, n: number): number | string {
  return n % 10 === 0 ? String(amount) : amount;
}

/** The most common and a middling word of the messages. */
export const commonWord = toWord(0);
export const middleWord = toWord(600);

/** Fills the table in large batches over a few connections, and shows how far it is. */
export async function fillAlerts(
  store: Store,
  world: AlertWorld,
  count: number,
  reportProgress: (text: string) => void,
): Promise<void> {
  const batch = 1000;
  let left = count;
  let done = 0;
  const startedAt = performance.now();
  const worker = async (): Promise<void> => {
    while (left > 0) {
      const size = Math.min(batch, left);
      left -= size;
      const findings = Array.from({ length: size }, () => world.nextFinding());
      await prepareRaise(store, findings);
      await store.transaction((tx) => raiseAlerts(tx, findings));
      done += size;
      if (done % 50_000 < size) {
        const perSecond = done / ((performance.now() - startedAt) / 1000);
        reportProgress(
          `${done.toLocaleString('en')} of ${count.toLocaleString('en')} alerts, ${Math.round(perSecond)} a second`,
        );
      }
    }
  };
  await Promise.all([worker(), worker(), worker()]);
}

function createZipf(random: SeededRandom, size: number, exponent: number): () => number {
  const sums: number[] = [];
  let sum = 0;
  for (let n = 1; n <= size; n++) {
    sum += 1 / n ** exponent;
    sums.push(sum);
  }
  return () => {
    const wanted = random.next() * sum;
    let [low, high] = [0, size - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

function toWord(n: number): string {
  let text = '';
  for (let rest = n + 16; rest > 0; rest = Math.floor(rest / 16)) text += syllables[rest % 16];
  return text;
}

/** The records that alerts belong to. */
export async function seedContracts(store: Store): Promise<void> {
  await store.query(
    sql`insert into tenant (id, created_at, updated_at, name) select n, 0, 0, 'Tenant ' || n from generate_series(1, ${tenantCount}) n`,
  );
  await store.query(
    sql`insert into project (id, tenant_id, created_at, updated_at, name) select n, n, 0, 0, 'Project' from generate_series(1, ${tenantCount}) n`,
  );
  await store.query(
    sql`insert into contract (id, tenant_id, project_id, created_at, updated_at, chain_uid, address, canonical_address, name)
      select n, 1 + (n - 1) % ${tenantCount}, 1 + (n - 1) % ${tenantCount}, 0, 0, 'ethereum', n, n, 'Contract ' || n
      from generate_series(1, ${contractCount}) n`,
  );
}
