const length = 5;

/**
 * The term under which addresses and hashes are found by how they begin, if a text begins like one and has enough
 * characters: `0x` and three more. Stored, so it may never change.
 */
export function beginningTerm(text: string): string | undefined {
  return text.startsWith('0x') && text.length >= length ? `0x ${text.slice(2, length)}` : undefined;
}

/**
 * For the beginning of an address, two digits of it, the terms of which every word that begins so has one, if its next
 * character is of ASCII: it is that word itself or has a beginning.
 */
export function beginningTerms(beginning: string): string[] | undefined {
  if (!/^0x[0-9a-fA-F]{2}$/.test(beginning)) return undefined;
  const next = Array.from({ length: 94 }, (_, n) => String.fromCharCode(0x21 + n));
  return [beginning, ...next.map((character) => `0x ${beginning.slice(2)}${character}`)];
}

/** Whether a term is not a word, but how a word begins. */
export function isBeginningTerm(term: string): boolean {
  return term.startsWith('0x ');
}
