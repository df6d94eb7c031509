import { storableJson } from '../../../lib/json.ts';
import { type Sql, sql } from '../../../lib/sql.ts';
import { isShape, wordEntry } from '../../../query/wordEntry.ts';
import type { Db, Store } from '../../db/db.ts';
import { groupByShard } from '../../db/shards/groupByShard.ts';
import { perShard } from '../../db/shards/perShard.ts';

/** The fields of the dictionary, by which number they are stored; these may never change. */
export const wordFields: ReadonlyMap<string, number> = new Map(
  [
    'name',
    'message',
    'walletName',
    'meta',
    'tags',
    'eid',
    'detectorSchemaName',
    'chainUid',
    'walletChainUid',
    'txHash',
    'blockHash',
    'walletAddress',
  ].map((name, index) => [name, index + 1]),
);

/** At most this many words of a field of a tenant are kept. */
const maxWords = 50_000;

export type Word = { tenantId: number; field: number; text: string; month: number };

/** For the texts of one field of an alert. */
type NoteWord = (text: string) => void;
/** For the fields of one alert; undefined for a field that the dictionary leaves out. */
export type NoteWords = (field: string) => NoteWord | undefined;

/** The last month for which each entry of a field of a tenant is known to be stored. */
type Months = Map<string, number>;
/** By tenant and field. */
export type KnownWords = { readonly fields: Map<string, Months>; count: number };

export function createKnownWords(): KnownWords {
  return { fields: new Map(), count: 0 };
}

type WordList = {
  readonly words: Word[];
  readonly noteAlert: (tenantId: number, timestamp: number) => NoteWords;
};

/** Collects words that are not known. */
export function createWordList(knownWords = createKnownWords()): WordList {
  const listed = new Map<string, Months>();
  const words: Word[] = [];
  const createNote = (tenantId: number, month: number, name: string): NoteWord | undefined => {
    const field = wordFields.get(name);
    if (field === undefined) return undefined;
    const key = `${tenantId} ${field}`;
    const knownMonths = monthsOf(knownWords.fields, key);
    const listedMonths = monthsOf(listed, key);
    const has = (entry: string) =>
      (knownMonths.get(entry) ?? -1) >= month || (listedMonths.get(entry) ?? -1) >= month;
    return (text) => {
      // Longer ones are hashes, of which only the shape is known.
      if (text.length < 40 && (knownMonths.get(text) ?? -1) >= month) return;
      const entry = wordEntry(text);
      if (has(entry)) return;
      listedMonths.set(entry, month);
      words.push({ tenantId, field, text: entry, month });
    };
  };
  // Most alerts of a batch share their tenant and month.
  const alerts = new Map<string, NoteWords>();
  const noteAlert = (tenantId: number, timestamp: number): NoteWords => {
    const month = lastMonthOfPeriod(timestamp);
    const key = `${tenantId} ${month}`;
    const noted = alerts.get(key);
    if (noted) return noted;
    const notes = new Map<string, NoteWord | undefined>();
    const note: NoteWords = (name) => {
      if (!notes.has(name)) notes.set(name, createNote(tenantId, month, name));
      return notes.get(name);
    };
    alerts.set(key, note);
    return note;
  };
  return { words, noteAlert };
}

const maxKnown = 500_000;

/** After these words were committed. */
export function addKnown(knownWords: KnownWords, words: readonly Word[]): void {
  knownWords.count += words.length;
  if (knownWords.count > maxKnown) {
    knownWords.fields.clear();
    knownWords.count = words.length;
  }
  for (const { tenantId, field, text, month } of words)
    monthsOf(knownWords.fields, `${tenantId} ${field}`).set(text, month);
}

function monthsOf(fields: Map<string, Months>, key: string): Months {
  const noted = fields.get(key);
  if (noted) return noted;
  const added: Months = new Map();
  fields.set(key, added);
  return added;
}

/** The words of tags that stored alerts of one tenant get. */
export async function addTagWords(
  db: Db,
  alerts: readonly { tenantId: number; timestamp: number }[],
  tags: readonly string[],
): Promise<void> {
  const newest = alerts.toSorted((a, b) => b.timestamp - a.timestamp)[0];
  if (!newest) return;
  const { words, noteAlert } = createWordList();
  for (const tag of tags) noteAlert(newest.tenantId, newest.timestamp)('tags')?.(tag);
  await insertWords(db, words);
}

/** Most words that one statement adds. */
export const maxNewWords = 10_000;

/** Adds words to the dictionary, in its order, so that two transactions cannot wait for each other. */
export async function insertWords(db: Db, words: readonly Word[], limit = maxWords): Promise<void> {
  for (let index = 0; index < words.length; index += maxNewWords)
    await insertChunk(db, words.slice(index, index + maxNewWords), limit);
}

async function insertChunk(db: Db, words: readonly Word[], limit: number): Promise<void> {
  if (await db.isDistributed('alert_word'))
    await perShard(
      db,
      words,
      ({ tenantId }) => tenantId,
      (tenantWords) => insertion(tenantWords, limit),
    );
  else await db.prepared(insertion(words, limit));
}

/** Like all statements that run on a shard, it returns something. */
function insertion(words: readonly Word[], limit: number): Sql {
  return sql`with ${wordParts(words, limit)} select count(*)::text as shard_row from counted_words`;
}

/** The parts of a statement that add words to the dictionary, for its `with`. */
export function wordParts(words: readonly Word[], limit = maxWords): Sql {
  // Serialised here, because the driver would check every element for quotes.
  const array = (numbers: readonly number[]) => `{${numbers.join()}}`;
  // Sub-selects look up each word by the key, whatever PostgreSQL thinks of the sizes.
  return sql`word as (
        select tenant_id, field, is_shape, word collate "C" as word, max(month) as month
        from rows from (unnest(${array(words.map(({ tenantId }) => tenantId))}::bigint[],
            ${array(words.map(({ field }) => field))}::smallint[],
            ${array(words.map(({ month }) => month))}::smallint[],
            ${words.map(({ text }) => isShape(text))}::boolean[]),
          json_array_elements_text(${storableJson(words.map(({ text }) => text))}::json))
          n(tenant_id, field, month, is_shape, word)
        group by 1, 2, 3, 4),
      missing as (
        select n.*, coalesce((select f.words from alert_word_field f
          where f.tenant_id = n.tenant_id and f.field = n.field), 0) >= ${limit}::int as is_full
        from word n
        where coalesce((select w.month from alert_word w where w.tenant_id = n.tenant_id and w.field = n.field
          and w.is_shape = n.is_shape and w.word = n.word), -1) < n.month),
      added as (
        insert into alert_word as w (tenant_id, field, is_shape, word, month)
        select tenant_id, field, is_shape, word, month from missing where not is_full
        order by tenant_id, field, is_shape, word
        on conflict (tenant_id, field, is_shape, word) do update set month = greatest(w.month, excluded.month)
        returning tenant_id, field, (xmax = 0)::int as words, null::smallint as skipped_month),
      counted_words as (insert into alert_word_field as f (tenant_id, field, words, skipped_month)
      select tenant_id, field, sum(words), max(skipped_month)
      from (select * from added union all select tenant_id, field, 0, month from missing where is_full) changed
      group by tenant_id, field having sum(words) > 0 or max(skipped_month) is not null order by tenant_id, field
      on conflict (tenant_id, field) do update
        set words = f.words + excluded.words, skipped_month = greatest(f.skipped_month, excluded.skipped_month)
      returning 1)`;
}

/** Deletes the words that only alerts before this month had; a field whose skipped words are all gone is complete again. */
export async function dropOldWords(store: Store, before: number): Promise<void> {
  const month = monthOf(before);
  if (!(await store.isDistributed('alert_word'))) {
    await store.query(removal(month));
    return;
  }
  const tenants = await store.query<{ id: number }>(sql`select id from tenant`);
  // One transaction for each shard, because each removes all of its own.
  for (const [tenantId] of await groupByShard(store, tenants, ({ id }) => id))
    await store.transaction((tx) =>
      perShard(
        tx,
        [tenantId],
        (id) => id,
        () => removal(month),
      ),
    );
}

function removal(month: number): Sql {
  return sql`with gone as (delete from alert_word where month < ${month}::smallint returning tenant_id, field),
      counted as (select tenant_id, field, count(*)::int as words from gone group by 1, 2),
      freed as (select tenant_id, field from alert_word_field where skipped_month < ${month}::smallint),
      changed as (update alert_word_field f set words = f.words - coalesce(c.words, 0),
        skipped_month = case when f.skipped_month < ${month}::smallint then null else f.skipped_month end
      from (select tenant_id, field, c.words from counted c full join freed using (tenant_id, field)) c
      where f.tenant_id = c.tenant_id and f.field = c.field returning 1)
    select count(*)::text as shard_row from changed`;
}

/**
 * Words are kept until the end of a half-year, because otherwise the words of all alerts would be written again in the first
 * days of every month.
 */
function lastMonthOfPeriod(timestamp: number): number {
  const month = monthOf(timestamp);
  return month - (month % periodMonths) + periodMonths - 1;
}

const periodMonths = 6;

function monthOf(timestamp: number): number {
  const date = new Date(timestamp);
  return 12 * (date.getUTCFullYear() - 1970) + date.getUTCMonth();
}
