const length = 5;

/**
 * The term under which addresses and hashes are found by how they begin, if a text begins like one and has enough
 * characters: `0x` and three more. Stored, so it may never change.
 */
export function beginningTerm(text: string): string | undefined {
  return text.startsWith('0x') && text.length >= length ? `0x ${text.slice(2, length)}` : undefined;
}
