type Constants = {
  /** Addresses in the code, and in the arguments behind it. */
  readonly addresses: readonly string[];
  /** Constants that may be selectors of functions. */
  readonly selectors: ReadonlySet<string>;
};

const push1 = 0x60;
const wordBytes = 32;
const addressBytes = 20;
const selectorBytes = 4;
/** Arguments of a constructor that are looked at. */
const maxArguments = 32;
/** The largest code that chains take, with the code that creates it: anything beyond is not code. */
const maxDigits = 2 * 128 * 1024;

/**
 * Constants that creation code pushes on the stack, which are those of Solidity code without immutables, and the words
 * behind the code, which are the constructor's arguments.
 */
export function codeConstants(input: string): Constants {
  const code = Buffer.from(input.slice(2, 2 + maxDigits), 'hex');
  const addresses = new Set<string>();
  const selectors = new Set<string>();
  for (let index = 0; index < code.length; ) {
    const size = code[index++]! - push1 + 1;
    if (size < 1 || size > wordBytes) continue;
    if (size === addressBytes) addAddress(addresses, code.toString('hex', index, index + size));
    else if (size === wordBytes) addWord(addresses, code.toString('hex', index, index + size));
    if (size === selectorBytes || size === wordBytes)
      selectors.add(`0x${code.toString('hex', index, index + selectorBytes)}`);
    index += size;
  }
  for (let end = code.length, seen = 0; end >= wordBytes && seen < maxArguments; end -= wordBytes, seen++)
    addWord(addresses, code.toString('hex', end - wordBytes, end));
  return { addresses: [...addresses], selectors };
}

function addWord(addresses: Set<string>, word: string): void {
  if (word.startsWith('000000000000000000000000')) addAddress(addresses, word.slice(24));
}

/** Small numbers and masks are no addresses. */
function addAddress(addresses: Set<string>, digits: string): void {
  if (digits.length === 40 && !/^(0{16}|f{40})/.test(digits)) addresses.add(`0x${digits}`);
}
