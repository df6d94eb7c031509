/** Returns a second spelling of an address; undefined for a text that is none of the family. */
type Respell = (text: string) => string | undefined;

const respells: Respell[] = [];

/** Adds a family in which people and contracts write addresses differently, so that queries find both. */
export function defineSpelling(respell: Respell): void {
  respells.push(respell);
}

/** Spellings of an address in records, beside the text itself. */
export function otherSpellings(text: string): string[] {
  return respells.flatMap((respell) => respell(text) ?? []);
}
