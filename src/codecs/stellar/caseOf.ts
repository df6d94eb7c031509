import { membersOf } from '../../lib/isRecord.ts';

/** The case of a union value and its content; a case without content is a text alone. */
export function caseOf(value: unknown): { name: string; held: unknown } {
  if (typeof value === 'string') return { name: value, held: undefined };
  const [only] = Object.entries(membersOf(value));
  return only ? { name: only[0], held: only[1] } : { name: '', held: undefined };
}
