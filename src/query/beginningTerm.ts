const length = 5;

/**
 * The term under which addresses and hashes are found by how they begin, if a text begins like one and has enough
 * characters: `0x` and three more. Stored, so it may never change.
 */
export function beginningTerm(text: string): string | undefined {
  return text.startsWith('0x') && text.length >= length ? `0x ${text.slice(2, length)}` : undefined;
}

/**
 * Terms for two digits of an address's beginning. Every word that begins so has one of them, if its next character is
 * ASCII: the word itself or a beginning.
 */
export function beginningTerms(beginning: string): string[] | undefined {
  if (!/^0x[0-9a-fA-F]{2}$/.test(beginning)) return undefined;
  const next = Array.from({ length: 94 }, (_, n) => String.fromCharCode(0x21 + n));
  return [beginning, ...next.map((character) => `0x ${beginning.slice(2)}${character}`)];
}

/** True if a term is the beginning of a word and no word. */
export function isBeginningTerm(term: string): boolean {
  return term.startsWith('0x ');
}
