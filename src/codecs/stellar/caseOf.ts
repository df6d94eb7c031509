import { membersOf } from '../../lib/isRecord.ts';

/** Which case of a union a value is, and what the case holds; a case that holds nothing is a text alone. */
export function caseOf(value: unknown): { name: string; held: unknown } {
  if (typeof value === 'string') return { name: value, held: undefined };
  const [only] = Object.entries(membersOf(value));
  return only ? { name: only[0], held: only[1] } : { name: '', held: undefined };
}
