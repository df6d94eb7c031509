import { expect, it } from 'vitest';
import { baseListSource, labelsFor } from './label.ts';

it('a tenant’s own label stands in for what Vigil ships, and for nothing else', () => {
  const shipped = { tenantId: null, source: baseListSource };
  const listed = { tenantId: null, source: 'OFAC SDN' };
  const own = { tenantId: 1, source: null };
  const foreign = { tenantId: 2, source: null };
  expect(labelsFor(1, [shipped, listed, foreign])).toEqual([shipped, listed]);
  expect(labelsFor(1, [shipped, listed, own])).toEqual([listed, own]);
  expect(labelsFor(2, [shipped, own])).toEqual([shipped]);
});
