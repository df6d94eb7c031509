import { decodeXdrs } from './xdr.ts';

/** The section of a contract's code that has its spec. */
const section = 'contractspecv0';
const magic = '0061736d';

/** The spec that a contract carries in its WebAssembly; undefined where it has none. */
export function readSpec(code: Uint8Array): readonly unknown[] | undefined {
  const sections = customSections(code).filter(({ name }) => name === section);
  const entries = sections.flatMap(({ bytes }) =>
    decodeXdrs('ScSpecEntry', Buffer.from(bytes).toString('base64')),
  );
  return entries.length > 0 ? entries : undefined;
}

/** Anyone can publish code, so that nothing in it is trusted: what does not fit ends the search. */
function customSections(code: Uint8Array): { name: string; bytes: Uint8Array }[] {
  if (Buffer.from(code.subarray(0, 4)).toString('hex') !== magic) return [];
  const sections: { name: string; bytes: Uint8Array }[] = [];
  let index = 8;
  /** A number in groups of seven bits, of which the lowest come first. */
  const whole = () => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = code[index++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    return value;
  };
  while (index < code.length) {
    const id = code[index++];
    const length = whole();
    const end = index + length;
    if (end > code.length) break;
    if (id === 0) {
      const nameLength = whole();
      const name = Buffer.from(code.subarray(index, index + nameLength)).toString();
      sections.push({ name, bytes: code.subarray(Math.min(index + nameLength, end), end) });
    }
    index = end;
  }
  return sections;
}
