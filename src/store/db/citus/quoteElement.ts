/**
 * A text as an element of a literal array. No column takes NUL; half of a surrogate pair is replaced by the driver's encoding.
 */
export function quoteElement(text: string): string {
  return special.test(text)
    ? `"${text.replace(specials, (character) => (character === '\0' ? '\ufffd' : `\\${character}`))}"`
    : `"${text}"`;
}

const special = /["\\\0]/;
const specials = /["\\\0]/g;
