import { describe, expect, it } from 'vitest';
import { readVectors } from '../../test/query/vectorDocuments.ts';
import { processorMs } from '../../test/support/processorMs.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { analyze, lowerCase, tokenEnd } from './analyzer.ts';
import { asciiWordEnd, isAsciiGap } from './asciiWordEnd.ts';

const vectors: { text: string; tokens: string[] }[] = JSON.parse(readVectors('analyzer-vectors.json'));

describe('a text in ASCII', () => {
  it('has words where the rules of Unicode have them', () => {
    const { pick, integer } = createRandom('texts in ASCII');
    const pieces = [
      ...'aZ09_.,;:\'-" #*\n\u0301é\ufe0f',
      'word',
      '1,000.5',
      '_'.repeat(300),
      'x'.repeat(254),
    ];
    let known = 0;
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: integer(1, 12) }, () => pick(pieces)).join('');
      const end = asciiWordEnd(text, 0, Math.min(text.length, 255));
      if (end === -1) continue;
      known++;
      expect(end, text).toBe(tokenEnd(text, 0));
    }
    expect(known).toBeGreaterThan(5_000);
  });

  it('starts no word where it has a gap', () => {
    for (let unit = 0; unit < 128; unit++) {
      const character = String.fromCharCode(unit);
      if (isAsciiGap(unit))
        for (const after of ['a', '1', '\ufe0f']) expect(tokenEnd(character + after, 0)).toBe(0);
    }
  });
});

describe('analyze', () => {
  it('has all its vectors', () => {
    expect(vectors).toHaveLength(38);
  });

  it.each(vectors)('cuts $text as the standard analyzer does', ({ text, tokens }) => {
    expect(analyze(text)).toEqual(tokens);
  });

  it('keeps runs of Katakana, Hangul and Thai whole and cuts Han and Hiragana apart', () => {
    expect(analyze('ﾃｽﾄカタカナ 한국어 ภาษาไทย 日本の')).toEqual([
      'ﾃｽﾄカタカナ',
      '한국어',
      'ภาษาไทย',
      '日',
      '本',
      'の',
    ]);
  });

  it('takes an emoji with its modifiers, a flag and a keycap for one token each', () => {
    expect(analyze('👩‍🚀 👍🏽🇫🇷🇩🇪 #️⃣ 1️⃣')).toEqual(['👩‍🚀', '👍🏽', '🇫🇷', '🇩🇪', '#️⃣', '1️⃣']);
    expect(analyze('# * © ® ™')).toEqual([]);
  });

  it('joins letters with underscores but makes no token of underscores alone', () => {
    expect(analyze('_a_ __ x_1 カ_a カa')).toEqual(['_a_', 'x_1', 'カ_a', 'カ', 'a']);
  });

  it('joins Hebrew letters with the quotes that stand in words', () => {
    expect(analyze('צה"ל ג\' "שלום"')).toEqual(['צה"ל', "ג'", 'שלום']);
  });

  it('cuts a token after 255 characters and goes on with the rest', () => {
    expect(analyze('x'.repeat(600)).map((token) => token.length)).toEqual([255, 255, 90]);
    expect(analyze(`${'x'.repeat(255)}.eth`)).toEqual(['x'.repeat(255), 'eth']);
    expect(analyze('𝒜'.repeat(200)).every((token) => token.isWellFormed())).toBe(true);
  });

  it('cuts plain texts, for which there is a short cut, as it cuts them after a letter that is not plain', () => {
    const random = createRandom('plain texts');
    const characters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).concat(
      'a',
      'Z',
      '9',
      ' ',
    );
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: random.integer(0, 8) }, () => random.pick(characters)).join('');
      expect(analyze(`é ${text}`).slice(1), JSON.stringify(text)).toEqual(analyze(text));
    }
    const long = `${'a'.repeat(random.integer(250, 260))} b`;
    expect(analyze(`é ${long}`).slice(1)).toEqual(analyze(long));
  });

  it('needs time in proportion to the text, whatever the text', () => {
    const pieces = ['_', 'a.', "'", '1,', '\u0301', '🇫', '👩\u200d', 'ก', '.', 'א"', '中'];
    for (const piece of pieces) {
      const text = piece.repeat(1_000_000 / piece.length);
      let tokens: string[] = [];
      const ms = processorMs(() => {
        tokens = analyze(text);
      });
      expect(ms, piece).toBeLessThan(2_000);
      expect(tokens.every((token) => token.length <= 256)).toBe(true);
    }
  });
});

describe('lowerCase', () => {
  it('changes each code point by itself', () => {
    expect(lowerCase('İSTANBUL ΟΔΟΣ Straße 𐐀')).toBe('istanbul οδοσ straße 𐐨');
  });
});
