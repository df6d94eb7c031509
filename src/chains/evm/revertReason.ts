import { cutText } from '../../lib/cutText.ts';
import { decodeResult, type FunctionItem, parseFunction } from './abi/abi.ts';

const errorText = parseFunction('Error(string text)');
const panicCode = parseFunction('Panic(uint256 code)');
/** A reason is as long as its contract pleases, and becomes part of messages. */
const mostCharacters = 1000;

/** What the compiler of most contracts means by its codes. */
const panics: Readonly<Record<string, string>> = {
  '1': 'an assertion failed',
  '17': 'a number left its range',
  '18': 'division by zero',
  '49': 'an empty list was shortened',
  '50': 'an index is out of its list',
};

/** The reason of a revert in words, as far as it has any. */
export function revertReason(data: string, message = 'the call reverts'): string {
  const selector = data.slice(0, 10).toLowerCase();
  const text = selector === '0x08c379a0' ? argumentOf(errorText, data) : undefined;
  if (text !== undefined) return cutText(text, mostCharacters);
  const code = selector === '0x4e487b71' ? argumentOf(panicCode, data) : undefined;
  if (code !== undefined) return panics[code] ?? `panic ${code}`;
  return selector.length === 10 ? `custom error ${selector}` : cutText(message, mostCharacters);
}

/** Undefined where it does not fit: anybody can revert with the selector of an error and with anything behind it. */
function argumentOf(item: FunctionItem, data: string): string | undefined {
  try {
    return String(decodeResult({ ...item, outputs: item.inputs }, `0x${data.slice(10)}`)[0]);
  } catch {
    return undefined;
  }
}
