import { Problem } from '../../model/errors.ts';

/** `offset` counts from 0; what the caller reads counts from 1. */
export function invalidQuery(offset: number, fault: string): Problem {
  const position = offset + 1;
  return new Problem('invalid-query', `Cannot read the query at column ${position}: ${fault}.`, { position });
}

/** Text of the caller inside a message, cut so that a message stays a sentence. */
export function quote(text: string): string {
  return text.length > 40 ? `'${text.slice(0, 40).toWellFormed()}…'` : `'${text.toWellFormed()}'`;
}
