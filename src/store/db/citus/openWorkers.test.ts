import { afterEach, expect, it, vi } from 'vitest';
import { openPlacements } from './openPlacements.ts';
import { openWorkers } from './openWorkers.ts';

afterEach(() => vi.useRealTimers());

const placement = { host: 'worker', port: 5432, groupId: 3, shardIds: { alert: 102_008 } };
const query = { text: 'select t.name from alert t where t.tenant_id = $1', values: [7] };

/** Workers whose answers are these, one after the other; an error is thrown. */
function openWith(...answers: (Record<string, unknown>[] | Error)[]) {
  const [asked, reported]: [string[], string[]] = [[], []];
  const result = (rows: Record<string, unknown>[]) => ({
    rows,
    command: '',
    rowCount: rows.length,
    oid: 0,
    fields: [],
  });
  const ask = async ({ text }: { text: string }) => {
    asked.push(text);
    const answer = answers.shift() ?? [];
    if (answer instanceof Error) throw answer;
    return result(answer);
  };
  const workers = openWorkers(
    openPlacements(async () => result([placement])),
    () => ({ ask, close: async () => {} }),
    (error) => reported.push(`${error.message} ${String(error.cause)}`),
  );
  return { asked, reported, find: async () => (await workers.ask(7, query))?.rows };
}

it('asks the tables of the shard, and returns the rows as they are', async () => {
  const { asked, find } = openWith([{ name: 'a', is_shard_row: true, shard_is_here: true }]);
  expect(await find()).toEqual([{ name: 'a' }]);
  expect(asked).toEqual([expect.stringContaining('from alert_102008 t where')]);
});

it('believes no answer of a worker that has the shard no more, also if it has no rows', async () => {
  const { find } = openWith(
    [{ name: 'old', is_shard_row: true, shard_is_here: false }],
    [{ name: null, is_shard_row: null, shard_is_here: false }],
    [{ name: null, is_shard_row: null, shard_is_here: true }],
  );
  expect(await find()).toBeUndefined();
  expect(await find()).toBeUndefined();
  expect(await find()).toEqual([]);
});

it('leaves a worker that cannot be reached alone for half a minute, and says so once until it answers', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { asked, reported, find } = openWith(new Error('no route'), new Error('no route'), [
    { name: 'b', is_shard_row: true, shard_is_here: true },
  ]);
  for (let n = 0; n < 3; n++) expect(await find()).toBeUndefined();
  expect(asked).toHaveLength(1);
  vi.advanceTimersByTime(30_000);
  expect(await find()).toBeUndefined();
  vi.advanceTimersByTime(30_000);
  expect(await find()).toEqual([{ name: 'b' }]);
  expect(reported).toEqual([
    'The worker worker:5432 cannot be asked directly; the coordinator is. Error: no route',
  ]);
});
