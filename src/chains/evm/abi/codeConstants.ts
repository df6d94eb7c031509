type Constants = {
  /** Addresses in the code, and in the arguments behind it. */
  readonly addresses: readonly string[];
  /** What may be selectors of functions. */
  readonly selectors: ReadonlySet<string>;
};

const push1 = 0x60;
const push32 = 0x7f;
const wordDigits = 64;
/** Arguments of a constructor that are looked at. */
const maxArguments = 32;
/** The largest code that chains take, with the code that creates it: anything beyond is not code. */
const maxDigits = 2 * 128 * 1024;

/**
 * What the code that creates a contract pushes on the stack. Constants of Solidity code, immutables aside, stand there; the
 * arguments of the constructor follow the code in words.
 */
export function codeConstants(input: string): Constants {
  const code = input.slice(2, 2 + maxDigits).toLowerCase();
  const addresses = new Set<string>();
  const selectors = new Set<string>();
  for (let at = 0; at + 2 <= code.length; ) {
    const opcode = Number.parseInt(code.slice(at, at + 2), 16);
    at += 2;
    if (!(opcode >= push1 && opcode <= push32)) continue;
    const digits = 2 * (opcode - push1 + 1);
    if (digits === 40) addAddress(addresses, code.slice(at, at + 40));
    else if (digits === 8) selectors.add(`0x${code.slice(at, at + 8)}`);
    else if (digits === wordDigits) {
      addWord(addresses, code.slice(at, at + wordDigits));
      selectors.add(`0x${code.slice(at, at + 8)}`);
    }
    at += digits;
  }
  for (let end = code.length, seen = 0; end >= wordDigits && seen < maxArguments; end -= wordDigits, seen++)
    addWord(addresses, code.slice(end - wordDigits, end));
  return { addresses: [...addresses], selectors };
}

function addWord(addresses: Set<string>, word: string): void {
  if (word.startsWith('000000000000000000000000')) addAddress(addresses, word.slice(24));
}

/** Small numbers and masks are no addresses. */
function addAddress(addresses: Set<string>, digits: string): void {
  if (digits.length === 40 && !/^(0{16}|f{40})/.test(digits)) addresses.add(`0x${digits}`);
}
