import { isRecord } from '../../lib/isRecord.ts';
import { decodePrincipal } from './accounts.ts';
import type { CandidType } from './parseCandid.ts';

/** A value as people write it, checked and in a form that JSON keeps. Throws a RangeError that names the place. */
export function readCandidValue(type: CandidType, value: unknown, label: string): unknown {
  const refuse = (what: string) => new RangeError(`${label} must be ${what}.`);
  if (typeof type !== 'string') {
    if ('opt' in type) return value === null ? null : [readCandidValue(type.opt, value, label)];
    if ('vec' in type) {
      if (type.vec === 'nat8') return readCandidValue('blob', value, label);
      if (!Array.isArray(value)) throw refuse('a list');
      return value.map((item, index) => readCandidValue(type.vec, item, `${label}[${index}]`));
    }
    if ('record' in type) {
      const given: unknown = Array.isArray(value) ? { ...value } : value;
      if (!isRecord(given)) throw refuse(`a record with ${type.record.map(([name]) => name).join(', ')}`);
      const unknown = Object.keys(given).find((name) =>
        type.record.every(([memberName]) => memberName !== name),
      );
      if (unknown !== undefined) throw new RangeError(`${label} has no member ${unknown}.`);
      return Object.fromEntries(
        type.record.map(([name, memberType]) => [
          name,
          readCandidValue(memberType, given[name] ?? null, `${label}.${name}`),
        ]),
      );
    }
    if ('variant' in type) {
      const [name, inner] =
        typeof value === 'string' ? [value, null] : isRecord(value) ? (Object.entries(value)[0] ?? []) : [];
      const chosen = type.variant.find(([variant]) => variant === name);
      if (!chosen || (isRecord(value) && Object.keys(value).length !== 1))
        throw refuse(
          `one of ${type.variant.map(([variant]) => variant).join(', ')}, or a record of one with its value`,
        );
      return { [chosen[0]]: readCandidValue(chosen[1], inner, `${label}.${chosen[0]}`) };
    }
    throw refuse('of a known type');
  }
  if (/^(nat|int)\d*$/.test(type)) {
    const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
    if (typeof text !== 'string' || !/^-?\d{1,200}$/.test(text))
      throw refuse('a whole number, as text where it is large');
    const [least, most] = boundsOf(type);
    const number = BigInt(text);
    if ((least !== undefined && number < least) || (most !== undefined && number > most))
      throw refuse(`within ${type}`);
    return number.toString();
  }
  switch (type) {
    case 'text':
      if (typeof value !== 'string') throw refuse('a text');
      return value;
    case 'bool':
      if (typeof value !== 'boolean' && value !== 'true' && value !== 'false') throw refuse('true or false');
      return String(value) === 'true';
    case 'float32':
    case 'float64':
      if (typeof value !== 'number' || !Number.isFinite(value)) throw refuse('a number');
      return value;
    case 'principal':
      if (typeof value !== 'string' || !decodePrincipal(value)) throw refuse('a principal');
      return value;
    case 'blob':
      if (typeof value !== 'string' || !/^(0x)?([0-9a-f]{2})*$/i.test(value))
        throw refuse('bytes in hexadecimal digits');
      return value.replace(/^0x/, '').toLowerCase();
    case 'null':
    case 'reserved':
      return null;
    default:
      throw new RangeError(`${label} is of the type ${type}, which cannot be passed.`);
  }
}

function boundsOf(type: string): [least: bigint | undefined, most: bigint | undefined] {
  const bits = BigInt(type.replace(/\D/g, '') || 0);
  if (type.startsWith('nat')) return [0n, bits ? 2n ** bits - 1n : undefined];
  return bits ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [undefined, undefined];
}
