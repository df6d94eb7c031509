import { expect, it } from 'vitest';
import { render, sql } from '../../../lib/sql.ts';
import { bindCoordinators, chainHeights, contractProof, needsCoordinator } from './bindCoordinators.ts';

const heights = { final: { ethereum: 7 }, confirmed: { ethereum: 9 } };

/** A statement as it is sent, and what was asked of the coordinator before. */
async function bind(text: string, values: unknown[], row: Record<string, unknown> = {}) {
  const asked: unknown[] = [];
  const ask = async (query: { name?: string; values: unknown[] }) => {
    asked.push([query.name, query.values]);
    return { rows: [row] };
  };
  return { bound: await bindCoordinators({ text, values }, ask), asked };
}

it('asks for nothing where a worker has all', async () => {
  const query = { text: 'select name from alert where tenant_id = $1', values: [1] };
  expect(await bind(query.text, query.values)).toEqual({ bound: query, asked: [] });
  expect(needsCoordinator(query.text)).toBe(false);
});

it('binds the heights of chains as values', async () => {
  const text = `select ${chainHeights('confirmed')} from alert where tenant_id = $1`;
  const { bound, asked } = await bind(text, [1], heights);
  expect(bound).toEqual({
    text: 'select $2::jsonb from alert where tenant_id = $1',
    values: [1, '{"ethereum":9}'],
  });
  expect(asked).toEqual([['vigil_heights', []]]);
});

it.each([true, false])('asks in the same statement whether a contract is there: %s', async (proven) => {
  const statement = sql`select ${contractProof(5, 3)} as proven from alert where tenant_id = ${3}`;
  const { text, values } = render(statement);
  const { bound, asked } = await bind(`${text} and ${chainHeights('final')} is not null`, values, {
    ...heights,
    proven,
  });
  expect(bound).toEqual({
    text: 'select ($1::boolean and $2::boolean) as proven from alert where tenant_id = $3 and $4::jsonb is not null',
    values: [proven, proven, 3, '{"ethereum":7}'],
  });
  expect(asked).toEqual([['vigil_heights_proof', [5, 3]]]);
});

it('binds the proof wherever a statement has it', async () => {
  const { text, values } = render(sql`select ${contractProof(5, 3)} union all select ${contractProof(5, 3)}`);
  const { bound, asked } = await bind(text, values, { ...heights, proven: true });
  expect(bound).toEqual({
    text: 'select ($1::boolean and $2::boolean) union all select ($3::boolean and $4::boolean)',
    values: [true, true, true, true],
  });
  expect(asked).toEqual([['vigil_heights_proof', [5, 3]]]);
});

it('knows which statements need it', () => {
  for (const height of ['final', 'confirmed'] as const)
    expect(needsCoordinator(`select ${chainHeights(height)}`)).toBe(true);
  expect(needsCoordinator(render(sql`select ${contractProof(5, 3)}`).text)).toBe(true);
});
