import { invalidQuery, quote } from './invalidQuery.ts';

/** `\x` becomes x and `\uXXXX` the UTF-16 unit of that number. `offset` is where `text` stands in the query. */
export function unescapeText(text: string, offset: number): string {
  if (!text.includes('\\')) return text;
  let plain = '';
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '\\') {
      plain += text[at];
      continue;
    }
    at += 1;
    if (at === text.length) throw invalidQuery(offset + at - 1, 'a backslash needs a character after it');
    if (text[at] !== 'u') {
      plain += text[at];
      continue;
    }
    const digits = text.slice(at + 1, at + 5);
    if (!fourHexDigits.test(digits)) {
      throw invalidQuery(
        offset + at - 1,
        `${quote(`\\u${digits}`)} is no Unicode escape, which has four hex digits`,
      );
    }
    plain += String.fromCharCode(Number.parseInt(digits, 16));
    at += 4;
  }
  return plain;
}

const fourHexDigits = /^[0-9a-fA-F]{4}$/;
