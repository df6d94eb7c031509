import { isRecord } from '../../lib/isRecord.ts';
import { type Severity, severityOf } from '../../model/alert.ts';
import { cleanLine } from './clean.ts';

export type Data = Readonly<Record<string, unknown>>;

/** The member below `data` at this path, or undefined. */
export function memberAt(data: Data, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), data);
}

/** A member as one line; empty when it is missing. */
export function lineAt(data: Data, ...path: readonly string[]): string {
  return toLine(memberAt(data, ...path), 200);
}

export function toLine(value: unknown, max: number): string {
  if (typeof value === 'string') return cleanLine(value, max);
  if (value === null || value === undefined) return '';
  return cleanLine(JSON.stringify(value) ?? '', max);
}

export function severityIn(data: Data): Severity | undefined {
  const value = data.severity;
  return typeof value === 'string' && isSeverity(value) ? value : undefined;
}

function isSeverity(value: string): value is Severity {
  return Object.hasOwn(severityOf, value);
}

/** 2026-11-15 05:29:03 UTC; empty when the value is not a time. */
export function toTime(value: unknown): string {
  const date = new Date(typeof value === 'number' || typeof value === 'string' ? value : Number.NaN);
  if (Number.isNaN(date.getTime())) return '';
  return date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}
