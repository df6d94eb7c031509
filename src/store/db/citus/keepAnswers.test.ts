import { expect, it } from 'vitest';
import { keepAnswers, noteStatement, noteWrites } from './keepAnswers.ts';

const query = (id: number) => ({ text: 'select from contract where id = $1', values: [id] });

function createCoordinator() {
  const clock = { at: 0, asked: 0 };
  const ask = keepAnswers(
    async () => ({ rows: [{ asked: ++clock.asked }] }),
    () => clock.at,
  );
  const asked = async (id: number) => (await ask(query(id))).rows[0]?.asked;
  return { clock, asked };
}

it('asks the same once in half a second', async () => {
  const { clock, asked } = createCoordinator();
  expect([await asked(1), await asked(1), await asked(2)]).toEqual([1, 1, 2]);
  clock.at = 499;
  expect(await asked(1)).toBe(1);
  clock.at = 500;
  expect(await asked(1)).toBe(3);
});

it('asks again after anything that this process has written, also while the answer was on its way', async () => {
  const { asked } = createCoordinator();
  await asked(1);
  noteStatement('select name, updated_at from contract');
  expect(await asked(1)).toBe(1);
  noteStatement(`with gone as (update contract set status = 'DELETED' returning id) select id from gone`);
  expect(await asked(1)).toBe(2);
  const before = asked(2);
  noteWrites();
  expect([await before, await asked(2)]).toEqual([3, 4]);
});

it('keeps no failure', async () => {
  let asked = 0;
  const ask = keepAnswers(async () => {
    if (++asked === 1) throw new Error('The coordinator is down.');
    return { rows: [] };
  });
  await expect(ask(query(1))).rejects.toThrow('down');
  expect(await ask(query(1))).toEqual({ rows: [] });
});
