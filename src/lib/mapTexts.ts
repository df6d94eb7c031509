import { isRecord } from './isRecord.ts';

/** A copy in which every text is replaced, however deep it stands. */
export function mapTexts<T>(value: T, map: (text: string) => string): T;
export function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, map));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, map)]));
}
