import { invalidQuery, quote } from './invalidQuery.ts';

/** `\x` becomes x and `\uXXXX` the UTF-16 unit of that number. `offset` is where `text` stands in the query. */
export function unescapeText(text: string, offset: number): string {
  if (!text.includes('\\')) return text;
  let plain = '';
  for (let index = 0; index < text.length; index++) {
    if (text[index] !== '\\') {
      plain += text[index];
      continue;
    }
    index += 1;
    if (index === text.length)
      throw invalidQuery(offset + index - 1, 'a backslash needs a character after it');
    if (text[index] !== 'u') {
      plain += text[index];
      continue;
    }
    const digits = text.slice(index + 1, index + 5);
    if (!fourHexDigits.test(digits)) {
      throw invalidQuery(
        offset + index - 1,
        `${quote(`\\u${digits}`)} is no Unicode escape, which has four hex digits`,
      );
    }
    plain += String.fromCharCode(Number.parseInt(digits, 16));
    index += 4;
  }
  return plain;
}

const fourHexDigits = /^[0-9a-fA-F]{4}$/;
