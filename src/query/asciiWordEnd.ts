const noWord = 0;
const letter = 1;
const digit = 2;
const underscore = 3;
const betweenLetters = 4;
const betweenDigits = 5;
const betweenBoth = 6;

const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z]/.test(character)) return letter;
  if (/[0-9]/.test(character)) return digit;
  if (character === '_') return underscore;
  if (character === ':') return betweenLetters;
  if (character === ',' || character === ';') return betweenDigits;
  return character === '.' || character === "'" ? betweenBoth : noWord;
});

/** True for characters at which no ASCII word can start. */
export function isAsciiGap(unit: number): boolean {
  return (
    unit < 128 && (kinds[unit] === noWord || kinds[unit]! > underscore) && unit !== hash && unit !== star
  );
}

/** These two may begin an emoji. */
const hash = 0x23;
const star = 0x2a;

/**
 * End of the word at `start`: `start` if there is none, -1 if a non-ASCII character or the limit may end it. Several
 * times faster than the rules of Unicode.
 */
export function asciiWordEnd(text: string, start: number, limit: number): number {
  let index = start;
  let previous = noWord;
  let isWord = false;
  while (index < limit) {
    const unit = text.charCodeAt(index);
    if (unit >= 128) return -1;
    const kind = kinds[unit]!;
    if (kind === letter || kind === digit) {
      isWord = true;
    } else if (kind !== underscore) {
      if (index === start && (unit === hash || unit === star)) return -1;
      if (kind === noWord) return isWord ? index : start;
      if (index + 1 >= limit) return index + 1 < text.length ? -1 : isWord ? index : start;
      const next = text.charCodeAt(index + 1);
      if (next >= 128) return -1;
      const isJoined =
        (previous === letter && kind !== betweenDigits && kinds[next] === letter) ||
        (previous === digit && kind !== betweenLetters && kinds[next] === digit);
      if (!isJoined) return isWord ? index : start;
    }
    previous = kind;
    index += 1;
  }
  if (index < text.length) return -1;
  return isWord ? index : start;
}
