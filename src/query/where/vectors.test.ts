import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVectorRecords, vectorCatalogue, whereVectors } from '../../../test/support/whereVectors.ts';
import { sql } from '../../lib/sql.ts';
import { Problem } from '../../model/errors.ts';
import { compileWhere } from './compileWhere.ts';

let records: Awaited<ReturnType<typeof createVectorRecords>>;
beforeAll(async () => {
  records = await createVectorRecords();
});
afterAll(() => records.close());

describe('the where vectors', () => {
  it('are all there', () => {
    expect(whereVectors).toHaveLength(84);
  });

  it.each(whereVectors.filter(({ ids }) => ids !== undefined))(
    '$where finds $ids',
    async ({ where, ids }) => {
      const { condition } = compileWhere(where, vectorCatalogue);
      expect(await records.ids(condition ?? sql`true`)).toEqual(ids);
    },
  );

  it.each(whereVectors.filter(({ error }) => error !== undefined))(
    '$where is refused with $error',
    ({ where, error }) => {
      const problem = refusal(where);
      expect(problem.code).toBe('invalid-where');
      expect(problem.status).toBe(error);
      expect(problem.members.position).toBeGreaterThan(0);
    },
  );

  it('cannot leave the scope that they are ANDed to', async () => {
    const { condition } = compileWhere('tenantId = 1 or tenantId = 2', vectorCatalogue);
    expect(await records.ids(sql`t."tenantId" = 1 and ${condition}`)).toEqual([1, 2]);
  });
});

function refusal(where: string): Problem {
  try {
    compileWhere(where, vectorCatalogue);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`${where} was accepted`);
}
