/** A text for comparisons without case. Character by character, so that a part of a text folds as it does within the whole. */
export function foldCase(text: string): string {
  return plain.test(text) ? text.toLowerCase() : text.replace(beyond, fold);
}

// Through upper case, because ß and ſ have no other way to SS and S.
function fold(character: string): string {
  return character.toUpperCase().toLowerCase();
}

const plain = /^[\0-\x7f]*$/;
const beyond = /./gsu;
