import { expect, it } from 'vitest';
import { bindCoordinators, chainHeights, needsCoordinator } from './bindCoordinators.ts';

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

it('knows which statements need it', () => {
  for (const height of ['final', 'confirmed'] as const)
    expect(needsCoordinator(`select ${chainHeights(height)}`)).toBe(true);
});
