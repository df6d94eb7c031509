/**
 * A pattern for LIKE with its default escape `\`. For ILIKE, `upper` lists capitals that are read as `lower`, so the
 * result does not depend on the database's collation.
 */
export type LikePattern = { readonly pattern: string; readonly upper: string; readonly lower: string };

/** Nothing if the pattern ends in its escape character. */
export function toLikePattern(
  pattern: string,
  escapeCharacter: string,
  ignoreCase: boolean,
): LikePattern | undefined {
  const letters = new Set<string>();
  let written = '';
  let escaped = false;
  for (const character of pattern) {
    if (!escaped && character === escapeCharacter) {
      escaped = true;
    } else if (!escaped && (character === '%' || character === '_')) {
      written += character;
    } else {
      const literal = ignoreCase ? toLower(character) : character;
      written += special.has(literal) ? `\\${literal}` : literal;
      letters.add(literal);
      escaped = false;
    }
  }
  if (escaped) return undefined;
  const paired = ignoreCase ? [...letters].filter(hasCapital) : [];
  return {
    pattern: written,
    upper: paired.map((letter) => letter.toUpperCase()).join(''),
    lower: paired.join(''),
  };
}

const special: ReadonlySet<string> = new Set(['%', '_', '\\']);

/** Only letters whose two cases are a pair of single characters: `ß` or `İ` would change the length of a text. */
function toLower(character: string): string {
  const lower = character.toLowerCase();
  return lower.toUpperCase() === character && Array.from(lower).length === 1 ? lower : character;
}

function hasCapital(letter: string): boolean {
  const upper = letter.toUpperCase();
  return upper !== letter && toLower(upper) === letter;
}
