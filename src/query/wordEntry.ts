/**
 * The dictionary's entry for a word: the word, or the shape that it shares with others if it is long or has many
 * digits, because these are too many to list. Stored, so it must not change.
 */
export function wordEntry(word: string): string {
  if (isOrdinary(word)) return word;
  if (word.length >= maxWordLength || placeholders.test(word)) return anyShape;
  if (isHexNumber(word)) return hexNumber;
  const shape = word.replace(/[0-9A-Za-z]+/g, runShape);
  return shape.length > maxShapeLength ? anyShape : shape;
}

/** True if an entry is a shape. No word of the dictionary has one of these characters. */
export function isShape(entry: string): boolean {
  return placeholders.test(entry);
}

/** True if all words of a shape are of ASCII. */
export function isAsciiShape(entry: string): boolean {
  return /^[!-~\uE000-\uE002]*$/.test(entry);
}

/** In a shape, each stands for one or more characters of a kind; of the private use area, so that no one misses them. */
export const digits = '\uE000';
export const hexDigits = '\uE001';
export const lettersAndDigits = '\uE002';
/** Any characters, of a word about which nothing is known. A word may have been cut if it is as long as words can be. */
export const anyShape = '\uE003';

const placeholders = /[\uE000-\uE003]/;
const maxWordLength = 255;
const maxOrdinaryLength = 32;
const maxOrdinaryDigits = 2;
const maxShapeLength = 64;
const maxRunLength = 20;

function isOrdinary(word: string): boolean {
  if (word.length > maxOrdinaryLength) return false;
  let count = 0;
  for (let index = 0; index < word.length; index++) {
    const unit = word.charCodeAt(index);
    if (unit >= 0x30 && unit <= 0x39) count += 1;
    else if (unit >= 0xe000 && unit <= 0xe003) return false;
  }
  return count <= maxOrdinaryDigits;
}

const hexNumber = `0x${hexDigits}`;

/** Written out, because every alert has some of these. */
function isHexNumber(word: string): boolean {
  if (!word.startsWith('0x') || word.length === 2) return false;
  for (let index = 2; index < word.length; index++) {
    const unit = word.charCodeAt(index);
    const lower = unit | 0x20;
    if (!(unit >= 0x30 && unit <= 0x39) && !(lower >= 0x61 && lower <= 0x66)) return false;
  }
  return true;
}

function runShape(run: string): string {
  if (!/[0-9]/.test(run)) return run.length > maxRunLength ? lettersAndDigits : run;
  if (run.length >= 8 && /^[0-9a-f]+$/i.test(run) && /[a-f]/i.test(run)) return hexDigits;
  const [, before = '', after = ''] = /^([A-Za-z]{0,20})[0-9]+([A-Za-z]{0,20})$/.exec(run) ?? [undefined];
  if (before !== '' || after !== '' || /^[0-9]+$/.test(run)) return `${before}${digits}${after}`;
  return /^[0-9a-f]+$/i.test(run) ? hexDigits : lettersAndDigits;
}
