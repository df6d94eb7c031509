import { asciiWordEnd, isAsciiGap } from './asciiWordEnd.ts';

/**
 * Cuts a text as the search engine's standard analyzer does: by Unicode annex 29, lower case, no stop words. A scanner,
 * because `Intl.Segmenter` treats ':' and Thai differently.
 */
export function analyze(text: string): string[] {
  const words: string[] = [];
  addWords(text, 0, text.length, words);
  return words;
}

/** Adds the words that start from `from`, which is not within a word, to before `to`, and returns where to go on. */
export function addWords(text: string, from: number, to: number, words: string[]): number {
  const last = Math.min(to, text.length);
  const lower = lowerCase(text.slice(from, last + 2 * maxTokenLength));
  return scanWords(text, from, last, (start, end) => words.push(lower.slice(start - from, end - from)));
}

/** Finds the words that start from `from` to before `to`, and returns where to go on. Neither may lie within a word. */
export function scanWords(
  text: string,
  from: number,
  to: number,
  onWord: (start: number, end: number) => void,
): number {
  let index = from;
  while (index < to) {
    const unit = text.charCodeAt(index);
    if (isAsciiGap(unit)) {
      index += 1;
      continue;
    }
    let end = unit < 128 ? asciiWordEnd(text, index, Math.min(text.length, index + maxTokenLength)) : -1;
    if (end === -1) end = tokenEnd(text, index);
    if (end > index) {
      onWord(index, end);
      index = end;
    } else {
      index = afterNoToken(text, index);
    }
  }
  return index;
}

/** True if the words are just the runs of letters and digits: in ASCII, without the marks that may join two of them. */
export function isPlain(text: string): boolean {
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const kind = plainKinds[text.charCodeAt(index)];
    if (kind === inWord) length += 1;
    else if (kind === betweenWords) length = 0;
    else return false;
    if (length > maxTokenLength) return false;
  }
  return true;
}

const inWord = 1;
const betweenWords = 2;
const plainKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9]/.test(character)) return inWord;
  return /[ \t\r\n!$%&()+\-/<=>?@[\\\]^`{|}~]/.test(character) ? betweenWords : 0;
});

/**
 * Lower case, one code point at a time: `toLowerCase` would expand İ and treat a final Σ differently. Keeps the
 * length.
 */
export function lowerCase(text: string): string {
  const plain = contextual.test(text) ? text.replaceAll('İ', 'i').replaceAll('Σ', 'σ') : text;
  return plain.toLowerCase();
}

const contextual = /[İΣ]/;
const maxTokenLength = 255;

const ignored = 1;
const letter = 2;
const hebrew = 3;
const number = 4;
const katakana = 5;
const connector = 6;
const extend = 7;
const midLetter = 8;
const midNumber = 9;
const midBoth = 10;
const singleQuote = 11;
const doubleQuote = 12;
const ideograph = 13;
const southEastAsian = 14;
const emoji = 15;
const weakEmoji = 16;
const regionalIndicator = 17;

/** Tried from top to bottom; what none of them matches is ignored. */
const classPatterns: readonly (readonly [number, RegExp])[] = [
  [singleQuote, /'/],
  [doubleQuote, /"/],
  [midBoth, /[.\u2018\u2019\u2024\uFE52\uFF07\uFF0E]/],
  [midLetter, /[:\u00B7\u0387\u055F\u05F4\u2027\uFE13\uFE55\uFF1A]/],
  [midNumber, /[,;\u037E\u0589\u060C\u060D\u066C\u07F8\u2044\uFE10\uFE14\uFE50\uFE54\uFF0C\uFF1B]/],
  [connector, /[\p{Pc}\u202F]/u],
  [number, /[\p{Nd}\u066B]/u],
  [regionalIndicator, /\p{Regional_Indicator}/u],
  [
    southEastAsian,
    /(?=[\p{L}\p{M}])[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tai_Le}\p{Script=New_Tai_Lue}\p{Script=Tai_Tham}\p{Script=Tai_Viet}\p{Script=Ahom}]/u,
  ],
  [extend, /(?!\u200B)[\p{Grapheme_Extend}\p{Mc}\p{Cf}\p{Emoji_Modifier}]/u],
  [katakana, /[\p{Script=Katakana}\u3031-\u3035\u309B\u309C\u30A0\u30FC\uFF70]/u],
  [ideograph, /[\p{Script=Han}\p{Script=Hiragana}]/u],
  [hebrew, /(?=\p{Lo})\p{Script=Hebrew}/u],
  [
    letter,
    /[\p{Alphabetic}\u02C2-\u02C5\u02D2-\u02D7\u02DE\u02DF\u02E5-\u02EB\u02ED\u02EF-\u02FF\u055A-\u055C\u055E\u058A\u05F3\u070F\uA708-\uA716\uA720\uA721\uA789\uA78A\uAB5B]/u,
  ],
  [weakEmoji, /[#*©®™〰〽]/],
  [emoji, /\p{Emoji}/u],
];

/** Filled as code points are met; 0 means not classified yet. */
const classes = new Uint8Array(0x110000);

function classAt(text: string, index: number): number {
  if (index >= text.length) return ignored;
  const unit = text.charCodeAt(index);
  const codePoint = (unit & 0xf800) === 0xd800 ? codePointAt(text, index) : unit;
  const cached = classes[codePoint]!;
  if (cached !== 0) return cached;
  const character = String.fromCodePoint(codePoint);
  const kind = classPatterns.find(([, pattern]) => pattern.test(character))?.[0] ?? ignored;
  classes[codePoint] = kind;
  return kind;
}

/** End of the token that starts at `start`, or `start` if none does. */
export function tokenEnd(text: string, start: number): number {
  const first = classAt(text, start);
  if (first === ignored) return start;
  const limit = Math.min(text.length, start + maxTokenLength);
  switch (first) {
    case letter:
    case hebrew:
    case number:
    case katakana:
    case connector:
      return wordEnd(text, start, limit);
    case ideograph:
      return skipExtenders(text, afterCodePoint(text, start), limit);
    case southEastAsian:
      return runEnd(text, start, limit, southEastAsian);
    case emoji:
    case weakEmoji:
    case regionalIndicator:
      return emojiEnd(text, start, limit, first);
    default:
      return start;
  }
}

function wordEnd(text: string, start: number, limit: number): number {
  let index = start;
  let previous = connector;
  let isWord = false;
  while (index < limit) {
    const next = classAt(text, index);
    if (next === letter && previous === letter) {
      // By far the most frequent.
      const end = afterCodePoint(text, index);
      if (end > limit) break;
      index = end;
      continue;
    }
    if (next === extend && index > start) {
      index = afterCodePoint(text, index);
      continue;
    }
    if (!joins(previous, next)) {
      const after = afterMiddle(text, index, limit, previous, next);
      if (after === index) break;
      index = after;
      continue;
    }
    const end = afterCodePoint(text, index);
    if (end > limit) break;
    if (next !== connector) isWord = true;
    previous = next;
    index = end;
  }
  return isWord ? index : start;
}

function joins(previous: number, next: number): boolean {
  if (next === connector) return true;
  if (next === katakana) return previous === katakana || previous === connector;
  return (next === letter || next === hebrew || next === number) && previous !== katakana;
}

/** Next position if the mark at `at` stands between two letters or two digits, else `at`. */
function afterMiddle(text: string, index: number, limit: number, previous: number, mark: number): number {
  const after = skipExtenders(text, index + 1, limit);
  const next = after < limit ? classAt(text, after) : ignored;
  const isBoth = mark === midBoth || mark === singleQuote;
  if (isLetter(previous) && isLetter(next) && (isBoth || mark === midLetter)) return after;
  if (previous === number && next === number && (isBoth || mark === midNumber)) return after;
  if (previous !== hebrew) return index;
  return mark === singleQuote || (mark === doubleQuote && next === hebrew) ? after : index;
}

function isLetter(kind: number): boolean {
  return kind === letter || kind === hebrew;
}

/** A row of connectors that led to no word leads to none from its middle either, and must not be read again. */
function afterNoToken(text: string, index: number): number {
  return classAt(text, index) === connector
    ? runEnd(text, index, index + maxTokenLength, connector)
    : afterCodePoint(text, index);
}

function runEnd(text: string, start: number, limit: number, kind: number): number {
  let index = start;
  while (index < limit) {
    const next = classAt(text, index);
    if (next !== kind && next !== extend) break;
    index = afterCodePoint(text, index);
  }
  return index;
}

function emojiEnd(text: string, start: number, limit: number, first: number): number {
  let index = afterCodePoint(text, start);
  if (first === regionalIndicator) {
    return classAt(text, index) === regionalIndicator
      ? skipExtenders(text, afterCodePoint(text, index), limit)
      : start;
  }
  if (first === weakEmoji && text[index] !== '\uFE0F' && text[index] !== '\u20E3') return start;
  index = skipExtenders(text, index, limit);
  while (index < limit && text[index - 1] === '\u200D' && classAt(text, index) === emoji) {
    index = skipExtenders(text, afterCodePoint(text, index), limit);
  }
  return index;
}

function skipExtenders(text: string, start: number, limit: number): number {
  let index = start;
  while (index < limit && classAt(text, index) === extend) index = afterCodePoint(text, index);
  return index;
}

function afterCodePoint(text: string, index: number): number {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 ? index + width(codePointAt(text, index)) : index + 1;
}

function codePointAt(text: string, index: number): number {
  return text.codePointAt(index)!;
}

function width(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}
