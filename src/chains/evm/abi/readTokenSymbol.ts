import { cutText } from '../../../lib/cutText.ts';
import { decodeResult, parseFunction } from './abi.ts';

/** What a token answers to `symbol()`: a text, or 32 bytes as the first tokens had it; undefined for anything else. */
export function readTokenSymbol(data: string): string | undefined {
  if (data.length < 66) return undefined;
  const symbol = data.length === 66 ? toText(data) : decodeText(data);
  // The text is the token's own choice, so nothing that could break a message or hide in it passes.
  const shown = symbol?.replace(/[\p{C}\p{Z}{}]+/gu, ' ').trim();
  return shown ? cutText(shown, 32) : undefined;
}

const symbolItem = parseFunction('symbol()(string)');

function toText(word: string): string {
  return Buffer.from(word.slice(2), 'hex').toString('utf8').replace(/\0+$/, '');
}

function decodeText(data: string): string | undefined {
  try {
    return String(decodeResult(symbolItem, data)[0]);
  } catch {
    return undefined;
  }
}
