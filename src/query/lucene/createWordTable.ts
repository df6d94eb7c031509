import { randomInt } from 'node:crypto';
import { rankOf } from './compareText.ts';

/** The distinct words of a text as offsets into it: a text of any size is read once and almost nothing is copied. */
export type WordTable = {
  readonly has: (word: string) => boolean;
  readonly count: () => number;
  readonly some: (test: (word: string) => boolean) => boolean;
  /** The first and the last word in the order of code points. */
  readonly ends: () => { readonly first: string; readonly last: string } | undefined;
  /** Reads on to this offset in the text; true at its end, before which the table is incomplete. */
  readonly read: (end: number) => boolean;
};

// Drawn for each process, so that no one can craft words that all fall into one slot.
const seed = randomInt(2 ** 31);
const factor = randomInt(2 ** 29) * 4 + 1;

/** Words are separated by spaces and line feeds. */
export function createWordTable(text: string): WordTable {
  let slots = new Int32Array(64);
  let words = new Int32Array(3 * 32);
  let count = 0;
  let next = 0;
  const wordAt = (index: number): string => text.slice(words[3 * index], words[3 * index + 1]);

  return {
    read: (end) => {
      next = readWords(next, end);
      return next >= text.length;
    },
    has: (word) => {
      let wanted = seed;
      for (let index = 0; index < word.length; index++)
        wanted = Math.imul(wanted ^ word.charCodeAt(index), factor);
      for (let slot = slotOf(wanted); ; slot = (slot + 1) & (slots.length - 1)) {
        const index = slots[slot]! - 1;
        if (index === -1) return false;
        const [from, to] = [words[3 * index]!, words[3 * index + 1]!];
        if (words[3 * index + 2] === wanted && to - from === word.length && text.startsWith(word, from))
          return true;
      }
    },
    count: () => count,
    some: (test) => {
      for (let index = 0; index < count; index++) if (test(wordAt(index))) return true;
      return false;
    },
    ends: () => {
      if (count === 0) return undefined;
      let [first, last] = [0, 0];
      for (let index = 1; index < count; index++) {
        if (compare(index, first) < 0) first = index;
        else if (compare(index, last) > 0) last = index;
      }
      return { first: wordAt(first), last: wordAt(last) };
    },
  };

  /** Goes on beyond `end` to where a word ends. */
  function readWords(from: number, end: number): number {
    let start = -1;
    let hash = seed;
    let index = from;
    for (; index <= text.length && (index < end || start !== -1); index++) {
      const unit = index === text.length ? space : text.charCodeAt(index);
      if (unit > space) {
        if (start === -1) start = index;
        hash = Math.imul(hash ^ unit, factor);
      } else if (start !== -1) {
        add(start, index, hash);
        start = -1;
        hash = seed;
      }
    }
    return index;
  }

  function slotOf(hashed: number): number {
    return (hashed ^ (hashed >>> 15)) & (slots.length - 1);
  }

  function add(from: number, to: number, hashed: number): void {
    let slot = slotOf(hashed);
    for (; slots[slot] !== 0; slot = (slot + 1) & (slots.length - 1)) {
      if (isSame(slots[slot]! - 1, from, to, hashed)) return;
    }
    if (3 * count === words.length) words = grown(words, 2 * words.length);
    words[3 * count] = from;
    words[3 * count + 1] = to;
    words[3 * count + 2] = hashed;
    count += 1;
    slots[slot] = count;
    if (2 * count > slots.length) spread();
  }

  function isSame(index: number, from: number, to: number, hashed: number): boolean {
    const start = words[3 * index]!;
    if (words[3 * index + 2] !== hashed || words[3 * index + 1]! - start !== to - from) return false;
    for (let index = from; index < to; index++)
      if (text.charCodeAt(index) !== text.charCodeAt(start + index - from)) return false;
    return true;
  }

  function spread(): void {
    slots = new Int32Array(2 * slots.length);
    for (let index = 0; index < count; index++) {
      let slot = slotOf(words[3 * index + 2]!);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = index + 1;
    }
  }

  function compare(a: number, b: number): number {
    const [fromA, fromB] = [words[3 * a]!, words[3 * b]!];
    const [lengthA, lengthB] = [words[3 * a + 1]! - fromA, words[3 * b + 1]! - fromB];
    for (let index = 0; index < lengthA && index < lengthB; index++) {
      const [left, right] = [text.charCodeAt(fromA + index), text.charCodeAt(fromB + index)];
      if (left !== right) return rankOf(left) - rankOf(right);
    }
    return lengthA - lengthB;
  }
}

const space = 0x20;

function grown(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(array);
  return larger;
}
