import { Problem, unprocessable } from '../model/errors.ts';
import type { Row } from '../store/records.ts';
import type { Call } from './call.ts';
import type { Change } from './recordKind.ts';

type LicenseStatus = 'PENDING' | 'LICENCED' | 'CANCELED';
type InstanceChange = Omit<Change, 'input'> & { input: { licenseStatus?: LicenseStatus | null } };

const following: Record<LicenseStatus, readonly LicenseStatus[]> = {
  PENDING: ['LICENCED', 'CANCELED'],
  LICENCED: ['CANCELED'],
  CANCELED: [],
};

export function prepareInstance(_call: Call, { input, current }: InstanceChange): Row {
  const next = input.licenseStatus;
  if (!current && next === 'CANCELED') {
    throw unprocessable(
      '/licenseStatus',
      'illegal-transition',
      'A license instance cannot be created as canceled.',
    );
  }
  const before = current?.licenseStatus as LicenseStatus | undefined;
  if (next != null && before && next !== before && !following[before].includes(next)) {
    const possible = following[before].join(' or ') || 'nothing';
    throw new Problem(
      'illegal-transition',
      `licenseStatus is ${before}, which can become ${possible}, not ${next}.`,
    );
  }
  return input;
}
