import { invalid } from '../model/errors.ts';
import type { Row } from '../store/records.ts';
import type { Call } from './call.ts';
import type { Change } from './recordKind.ts';

type LicenseChange = Omit<Change, 'input'> & { input: { params?: string | null } };

/** A license belongs to the organisation of whoever makes it; an administrator's is the platform's. */
export function prepareLicense(call: Call, { input, current }: LicenseChange): Row {
  if (input.params != null && !isJson(input.params)) {
    throw invalid(
      '/params',
      'json-text',
      'must be JSON written as text, such as "{\\"min\\":0,\\"max\\":100}".',
    );
  }
  return current
    ? input
    : { ...input, organisationId: call.scope.all ? null : call.scope.organisationIds[0] };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
