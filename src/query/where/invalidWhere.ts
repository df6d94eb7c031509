import { Problem } from '../../model/errors.ts';

export function invalidWhere(position: number, fault: string): Problem {
  return new Problem('invalid-where', `Cannot read the where clause at column ${position}: ${fault}.`, {
    position,
  });
}

/** Text of the caller inside a message. */
export function quote(text: string): string {
  return `'${shorten(text)}'`;
}

/** Cut so that a message stays a sentence. */
export function shorten(text: string): string {
  const characters = Array.from(text.slice(0, 100));
  return characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : text;
}
