import { sealedText } from '../../lib/secret.ts';
import { type Fault, invalid, Problem } from '../../model/errors.ts';
import { escapePointer } from '../../model/schemaFaults.ts';
import { findSealedHeaders } from '../../store/destinations/targets.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';

/** Names that the connection sets, or that the webhook signature uses. */
const reservedNames =
  /^(host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|webhook-.*)$/i;

/** Header values are secrets: they are sealed to the destination, and only the names are readable. */
export async function sealHeaders(
  call: Call,
  destination: { id: number; tenantId: number; current: object | undefined },
  headers: Record<string, string> | null,
): Promise<Row> {
  if (headers === null) return { headerNames: null, sealedHeaders: null };
  const faults = [
    ...Object.entries(headers).flatMap(([name, value]) => headerFaults(name, value)),
    ...duplicateFaults(Object.keys(headers)),
  ];
  const [first] = faults;
  if (first) throw new Problem('invalid-input', `${first.pointer}: ${first.message}`, { errors: faults });
  const box = { tenantId: destination.tenantId, kind: 'destination', id: destination.id, member: 'headers' };
  const before = destination.current ? await findSealedHeaders(call.db, destination.id) : null;
  const stored: Record<string, string> = before
    ? JSON.parse(await call.services.keyring.unseal(box, before))
    : {};
  const values = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === sealedText ? stored[name] : value]),
  );
  const unknown = Object.keys(values).find((name) => values[name] === undefined);
  if (unknown !== undefined)
    throw invalid(
      `/headers/${escapePointer(unknown)}`,
      'sealed',
      `${sealedText} stands for a stored value, and there is none; give the value.`,
    );
  // Sealing the same values again would look like a change.
  if (before && JSON.stringify(values) === JSON.stringify(stored)) return {};
  return {
    headerNames: Object.keys(values),
    sealedHeaders: call.services.keyring.seal(box, JSON.stringify(values)),
  };
}

/** A user who cannot read the stored values must not send them to another receiver by changing the address. */
export function refuseKeptHeaders(
  current: { value: string | null; headers: Record<string, string> | null } | undefined,
  headers: Record<string, string> | null | undefined,
  address: string | null | undefined,
): void {
  if (!current || address === undefined || originOf(address) === originOf(current.value)) return;
  const stillSealed = headers === undefined ? Object.keys(current.headers ?? {}) : sealedNames(headers ?? {});
  if (stillSealed.length === 0) return;
  throw invalid(
    '/headers',
    'sealed',
    'The address leads to another receiver than the one that the header values were set for: give the values again, or null.',
  );
}

function sealedNames(headers: Record<string, string>): string[] {
  return Object.keys(headers).filter((name) => headers[name] === sealedText);
}

function originOf(address: unknown): unknown {
  return typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : address;
}

/** A header in two spellings would be sent with only one of its values. */
function duplicateFaults(names: readonly string[]): Fault[] {
  const lower = names.map((name) => name.toLowerCase());
  return names.flatMap((name, index): Fault[] => {
    const first = lower.indexOf(name.toLowerCase());
    if (first === index) return [];
    const message = `is the same header as ${names[first]}, because case is ignored; remove one of them.`;
    return [{ pointer: `/headers/${escapePointer(name)}`, code: 'not-unique', message }];
  });
}

function headerFaults(name: string, value: string): Fault[] {
  const pointer = `/headers/${escapePointer(name)}`;
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) {
    return [
      {
        pointer,
        code: 'header-name',
        message: 'is not a header name, which has letters, digits and hyphens only.',
      },
    ];
  }
  if (reservedNames.test(name))
    return [{ pointer, code: 'header-name', message: 'is set by Vigil and cannot be changed.' }];
  if (!/^[\x20-\x7e\t]*$/.test(value)) {
    return [{ pointer, code: 'header-value', message: 'must be visible ASCII text without line breaks.' }];
  }
  return [];
}
