import { Problem } from './errors.ts';

/** Reasons that a tenant may read but not write. */
export type ReadOnly = 'tenant-disabled' | 'subscription-expired';

export function readOnlyProblem(reason: ReadOnly): Problem {
  const words =
    reason === 'tenant-disabled'
      ? 'The tenant is disabled: its records can be read but not changed.'
      : 'The subscription has expired: records can be read but not changed.';
  return new Problem(reason, words);
}
