import { performance } from 'node:perf_hooks';
import { itemAt } from '../../../lib/itemAt.ts';
import type { Sql } from '../../../lib/sql.ts';
import { Problem, type ProblemCode } from '../../../model/errors.ts';
import type { Db } from '../../db/db.ts';
import { atTenant } from '../../db/shards/atTenant.ts';
import { reportSlowSearch } from '../../records/reportSlowSearch.ts';
import {
  compileQuery,
  compileSearch,
  createQueryBudget,
  type QueryBudget,
  type QueryInput,
} from '../compile/compileQuery.ts';
import { countCells, sumOf } from '../count/countCells.ts';
import { defaultTotal } from '../count/countHits.ts';
import { countUpTo } from '../count/countUpTo.ts';
import { alertTable } from '../documents/alertTable.ts';
import { type DocumentScope, type DocumentTable, memberColumn } from '../documents/documentTable.ts';
import type { CellCount } from '../rollups/countByRollup.ts';
import type { PlannedItem } from './aggregateItem.ts';
import { aggregateKey } from './aggregateKey.ts';
import type { Level } from './aggregateLevel.ts';
import { isMergeable } from './aggregateParts.ts';
import {
  type Bucket,
  countOf,
  type ItemResult,
  maxBuckets,
  tooManyBuckets,
  toReply,
} from './aggregateReply.ts';
import { aggregateStatement, measureStatement } from './aggregateStatement.ts';

/** For all statements of a request together; each also has a limit of its own. */
const timeLimitMs = 2000;
/**
 * A row is a bucket of the innermost level, or one of the documents without a key, of which a bucket has one at most.
 */
const maxRows = 2 * maxBuckets + 2;

type Row = { [column: string]: unknown; s: number };
type Slot = { keys: readonly unknown[]; items: Map<PlannedItem, ItemResult> };
type Run = {
  db: Db;
  table: DocumentTable;
  tenantIds: DocumentScope['tenantIds'];
  now: number;
  buckets: number;
  /** Shared by the query and the items' queries. */
  budget: QueryBudget;
};

/** Aggregates what the query finds; nested items share one scan of the table where possible. */
export async function aggregateDocuments(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  search: QueryInput & { trackTotalCount?: number },
  items: readonly PlannedItem[],
  now: number,
): Promise<{ total: number; data: Record<string, unknown> }> {
  const timed = withDeadline(atTenant(db, scope.tenantIds));
  // Only the query decides whether hidden rows are shown; the items' own queries do not.
  const { hidden: _hidden, ...shown } = table;
  const budget = createQueryBudget();
  const run: Run = { db: timed, table: shown, tenantIds: scope.tenantIds, now, buckets: 0, budget };
  return reportSlowSearch(async () => {
    const { condition, parsed } = await compileSearch(timed, table, scope, search, now, budget);
    const root: Slot = { keys: [], items: new Map() };
    const limit = search.trackTotalCount ?? defaultTotal;
    const isCellular = items.some(isOfCells);
    const { timeseries } = search;
    const cells =
      isCellular || limit > 0 ? await countCells(timed, table, scope, { timeseries, parsed }) : undefined;
    for (const item of items) {
      if (item.buckets)
        await readBuckets(run, item, [], [root], condition, isOfCells(item) ? cells : undefined);
      else root.items.set(item, await readMeasure(run, item, condition));
    }
    const data = toReply(items, root.items);
    const hits = cells ? sumOf(cells) : await countUpTo(timed, table, condition, limit);
    return { total: Math.min(hits, limit), data };
  });
}

function withDeadline(db: Db): Db {
  const end = performance.now() + timeLimitMs;
  const check = () => {
    if (performance.now() > end) throw new Problem('unavailable', 'The request is over its time limit.');
  };
  return {
    ...db,
    query: async (statement) => {
      check();
      return db.query(statement);
    },
    repeated: async (statement) => {
      check();
      return db.repeated(statement);
    },
    prepared: async (statement) => {
      check();
      return db.prepared(statement);
    },
  };
}

async function readMeasure(run: Run, item: PlannedItem, condition: Sql): Promise<ItemResult> {
  const narrowed = await narrow(run, item, condition);
  const [row = { s: 0 }] = await run.db.query<Row>(measureStatement(run.table, narrowed, item));
  return { count: countOf({ row, level: -1 }, 0), missing: 0, all: 0, buckets: [], row };
}

/** The condition with that of the item's own query. */
async function narrow(
  { db, table, tenantIds, now, budget }: Run,
  { query, pointer }: PlannedItem,
  condition: Sql,
): Promise<Sql> {
  if (query === undefined) return condition;
  try {
    return await compileQuery(db, table, { condition, tenantIds }, { query }, now, budget);
  } catch (error) {
    if (!(error instanceof Problem) || !faultsOfQuery.includes(error.code)) throw error;
    const fault = { pointer: `${pointer}/query`, code: error.code, message: error.message };
    throw new Problem(error.code, error.message, { ...error.members, errors: [fault] }, { cause: error });
  }
}

const faultsOfQuery: readonly ProblemCode[] = ['invalid-query', 'search-too-slow'];

/** Fills in what the item finds in every slot, and so on for the items nested in it. */
async function readBuckets(
  run: Run,
  item: PlannedItem,
  ancestors: readonly Level[],
  slots: readonly Slot[],
  condition: Sql,
  cells?: readonly CellCount[],
): Promise<void> {
  if (slots.length === 0) return;
  const narrowed = await narrow(run, item, condition);
  const levels: Level[] = [];
  for (let next: PlannedItem | undefined = item; next; next = sharedChild(next)) {
    levels.push({ item: next, key: await aggregateKey(run.db, run.table, next, narrowed) });
  }
  const filters = new Map<PlannedItem, Sql>();
  for (const measure of levels.flatMap((level) => level.item.measures)) {
    if (measure.query !== undefined) filters.set(measure, await narrow(run, measure, narrowed));
  }
  const { table } = run;
  const reading = {
    table,
    condition: narrowed,
    ancestors,
    slots,
    levels,
    filters,
    ...(cells ? { cells } : {}),
  };
  const statement = aggregateStatement(reading, maxRows);
  const rows = await (cells ? run.db.repeated<Row>(statement) : run.db.query<Row>(statement));
  if (rows.length === maxRows) throw tooManyBuckets();
  for (const row of rows) readRow(row, levels, itemAt(slots, row.s));

  let around = slots;
  for (const [index, level] of levels.entries()) {
    around = around.flatMap((slot) => slot.items.get(level.item)?.buckets ?? []);
    run.buckets += around.length;
    if (run.buckets > maxBuckets) throw tooManyBuckets();
    const outer = [...ancestors, ...levels.slice(0, index + 1)];
    for (const child of level.item.children) {
      if (child !== levels[index + 1]?.item) await readBuckets(run, child, outer, around, narrowed);
    }
  }
}

const cellColumns = ['severity', 'kind', 'group'].map((name) => {
  const column = memberColumn(alertTable, name);
  return column.codes?.sql ?? column.sql;
});

/** True if the item and those nested in it only count, by the members of the roll-ups, each within the next. */
function isOfCells({ buckets, values, words, query, measures, children }: PlannedItem): boolean {
  return (
    buckets?.type === 'terms' &&
    values?.group !== undefined &&
    cellColumns.includes(values.group) &&
    words.size + measures.length === 0 &&
    query === undefined &&
    children.length <= 1 &&
    children.every(isOfCells)
  );
}

/** The nested item that covers the same documents, if the outer metrics can be merged from its buckets. */
function sharedChild(item: PlannedItem): PlannedItem | undefined {
  return isMergeable(item) ? item.children.find((child) => child.query === undefined) : undefined;
}

function readRow(row: Row, levels: readonly Level[], from: Slot): void {
  let slot = from;
  let count = Number(row.docs);
  for (const [index, { item }] of levels.entries()) {
    const result = slot.items.get(item) ?? {
      count,
      missing: 0,
      all: Number(row[`o${index + 1}`] ?? 0),
      buckets: [],
      row: {},
    };
    slot.items.set(item, result);
    count = countOf({ row, level: index }, 0);
    const key = row[`k${index + 1}`];
    if (key === null) {
      result.missing = count;
      return;
    }
    slot = bucketOf(result, key, () => ({
      key,
      keys: [...slot.keys, key],
      level: index,
      row,
      items: new Map(),
    }));
  }
}

/** Rows are ordered, so those of one bucket are adjacent. */
function bucketOf(result: ItemResult, key: unknown, create: () => Bucket): Bucket {
  const last = result.buckets.at(-1);
  if (last !== undefined && last.key === key) return last;
  const bucket = create();
  result.buckets.push(bucket);
  return bucket;
}
