import { commonWords } from './commonWords.ts';
import { itemAt } from './itemAt.ts';

/** Worth of a word, a row or a repetition, and of any further character. */
const worth = { word: 3, row: 2, other: 1 };
const needed = 9;

/**
 * The reason why a password is too easy to guess. It is cut into common words, the user's own, rows (1234, qwerty),
 * repetitions and years, each worth a guesser's effort; remaining characters count singly.
 */
export function passwordFault(password: string, ownWordList: readonly string[] = []): string | undefined {
  const plain = password.normalize('NFKC').toLowerCase();
  const words = ownWords(ownWordList);
  // Each spelling by itself, because 1 is a digit of 1234 and an i or l of adm1n.
  const cuts = spellings(plain).map((text) => cut(text, words));
  const weakest = cuts.reduce((least, next) => (next.worth < least.worth ? next : least));
  const unit = repeatedUnit(plain);
  if (
    unit !== undefined &&
    unit.length <= plain.length / 2 &&
    (weakest.worth < needed || unit.length < needed)
  )
    return 'must not be a repetition of a few characters or of one word.';
  if (weakest.worth >= needed) return undefined;
  const ownWord = weakest.parts.find((part) => words.has(part));
  if (ownWord !== undefined) return 'must not be made of your own name or e-mail address, or of "vigil".';
  const common = weakest.parts.find((part) => commonWords.has(part));
  return common === undefined
    ? 'must not be made of rows of neighbouring keys, letters or digits.'
    : `is among the most common passwords: "${common}" with little around it. Several unrelated words make a better one.`;
}

function ownWords(ownWordList: readonly string[]): Set<string> {
  const texts = ownWordList.map((text) => text.normalize('NFKC').toLowerCase());
  const parts = texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u));
  const squeezed = texts.flatMap((text) => [text, text.replace(/\s+/g, ''), ...text.split('@', 2)]);
  const whole = [...parts, ...squeezed, 'vigil'].filter((word) => word.length >= 3);
  return new Set([...whole, ...whole.map((word) => [...word].reverse().join(''))]);
}

const leet: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
  '+': 't',
  '8': 'b',
  '9': 'g',
};

function spellings(text: string): string[] {
  const folded = [...text].map((letter) => leet[letter] ?? letter).join('');
  return [...new Set([text, folded.replaceAll(/[1!|]/g, 'i'), folded.replaceAll(/[1!|]/g, 'l')])];
}

type Cut = { worth: number; parts: string[] };

/** The way to cut the text for which a guesser needs least. */
function cut(text: string, ownWordList: ReadonlySet<string>): Cut {
  const best: Cut[] = [{ worth: 0, parts: [] }];
  for (let end = 1; end <= text.length; end++) {
    const shorter = itemAt(best, end - 1);
    let least: Cut = { worth: shorter.worth + worth.other, parts: shorter.parts };
    for (let start = Math.max(0, end - longest); start <= end - 2; start++) {
      const part = text.slice(start, end);
      const cost = worthOf(part, ownWordList);
      const before = itemAt(best, start);
      if (cost === undefined || before.worth + cost >= least.worth) continue;
      least = { worth: before.worth + cost, parts: [...before.parts, part] };
    }
    best.push(least);
  }
  return itemAt(best, text.length);
}

/** No part is looked for that is longer than this. */
const longest = 64;

function worthOf(part: string, ownWordList: ReadonlySet<string>): number | undefined {
  if (ownWordList.has(part) || commonWords.has(part)) return worth.word;
  if (part.length >= 3 && (rowParts.has(part) || isRepetition(part) || /^(19|20)\d\d$/.test(part)))
    return worth.row;
  return part.length === 2 && part[0] === part[1] ? worth.other : undefined;
}

/** Neighbours on keyboards and in the alphabet, along and back. */
const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  '1234567890-=',
  'qwertyuiop[]',
  'asdfghjkl;',
  'zxcvbnm,./',
  'qwertzuiopü',
  'yxcvbnm,.-',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.',
  'qazwsxedcrfvtgbyhnujmik',
  'zaqxswcdevfrbgtnhymju',
  'zaq12wsxcde34rfvbgt56yhnmju7',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  '1a2b3c4d5e6f7g8h9i0j',
  'a1b2c3d4e5f6g7h8i9j0',
  '147258369',
  '159753',
  '789456123',
  '!@#$%^&*()',
  '!"§$%&/()=',
].flatMap((row) => [row, [...row].reverse().join('')]);

const rowParts = new Set(
  rows.flatMap((row) =>
    [...row].flatMap((_, start) =>
      [...row].slice(start + 2).map((_, more) => row.slice(start, start + 3 + more)),
    ),
  ),
);

function isRepetition(part: string): boolean {
  return [1, 2, 3].some(
    (length) => part.length >= 2 * length && part.slice(length) === part.slice(0, part.length - length),
  );
}

/** The shortest text of which this one is a repetition, with or without a rest. */
function repeatedUnit(text: string): string | undefined {
  for (let length = 1; length <= text.length / 2; length++) {
    const unit = text.slice(0, length);
    if (unit.repeat(Math.ceil(text.length / length)).startsWith(text)) return unit;
  }
  return undefined;
}
