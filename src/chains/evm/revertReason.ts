import { decodeResult, parseFunction } from '../../lib/abi.ts';

const errorText = parseFunction('Error(string text)');
const panicCode = parseFunction('Panic(uint256 code)');

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
  const body = `0x${data.slice(10)}`;
  if (data.startsWith('0x08c379a0'))
    return String(decodeResult({ ...errorText, outputs: errorText.inputs }, body)[0]);
  if (data.startsWith('0x4e487b71')) {
    const code = String(decodeResult({ ...panicCode, outputs: panicCode.inputs }, body)[0]);
    return panics[code] ?? `panic ${code}`;
  }
  return data.length >= 10 ? `custom error ${data.slice(0, 10)}` : message;
}
