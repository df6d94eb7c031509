import { platformOwner, type ScriptOwner } from '../../scripts/sandbox.ts';
import type { Call } from '../call.ts';

/** Owner charged for the scripts that a request compiles or tries. */
export function scriptOwner({ principal }: Call): ScriptOwner {
  return principal.tenantId ?? platformOwner;
}
