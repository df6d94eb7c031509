import { isRecord } from '../../lib/isRecord.ts';
import { WrongForm } from './replies.ts';

/** A record that a node sent; its members are read with the functions below, which refuse what cannot be right. */
export type Raw = Readonly<Record<string, unknown>>;

export function recordOf(value: unknown): Raw {
  if (!isRecord(value)) throw new WrongForm('an answer is not a record');
  return value;
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new WrongForm(`${what} is not a list`);
  return value;
}

export function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new WrongForm(`${what} is not a text`);
  return value;
}

export function numberOf(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new WrongForm(`${what} is not a whole number`);
  return value;
}

/** A whole number of any size; beyond what JSON numbers hold exactly it comes as text (`parseExactJson`). */
export function amountOf(value: unknown, what: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
  throw new WrongForm(`${what} is not a whole number`);
}
