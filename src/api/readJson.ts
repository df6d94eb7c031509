import { type Fault, Problem } from '../model/errors.ts';
import { escapePointer, invalidInput } from '../model/validate.ts';

const maxDepth = 64;
const maxItems = 10_000;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** The JSON value of a body, refused where JavaScript or PostgreSQL would silently change it. */
export function readJson(body: Buffer): unknown {
  const text = decode(body);
  checkDepth(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/ in JSON.*$|, "?.*$/s, '') : '';
    throw new Problem('malformed-json', `The body is not JSON${reason ? `: ${reason}` : ''}.`);
  }
  refuseUnstorable(value, '');
  return value;
}

/** Refuses what JavaScript or PostgreSQL cannot hold as it was sent. */
export function refuseUnstorable(value: unknown, root: string): void {
  const faults: Fault[] = [];
  inspect(value, root, faults);
  if (faults.length > 0) throw invalidInput(faults);
}

function decode(body: Buffer): string {
  try {
    return decoder.decode(body);
  } catch {
    throw new Problem('malformed-json', 'The body is not UTF-8 text.');
  }
}

/** Counted before parsing, so that a deeply nested body costs one pass over its bytes and nothing else. */
function checkDepth(text: string): void {
  let depth = 0;
  let isText = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isText) {
      if (code === 0x5c) i++;
      else if (code === 0x22) isText = false;
    } else if (code === 0x22) isText = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth)
        throw new Problem('malformed-json', `The body is nested deeper than ${maxDepth} levels.`);
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

function inspect(value: unknown, pointer: string, faults: Fault[]): void {
  if (faults.length >= 100) return;
  if (typeof value === 'string') inspectText(value, pointer, faults);
  else if (typeof value === 'number') inspectNumber(value, pointer, faults);
  else if (Array.isArray(value)) {
    if (value.length > maxItems) {
      faults.push({ pointer, code: 'too-many', message: `must have at most ${maxItems} elements.` });
      return;
    }
    for (let i = 0; i < value.length; i++) inspect(value[i], `${pointer}/${i}`, faults);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const place = `${pointer}/${escapePointer(name)}`;
      inspectText(name, place, faults);
      if (name === '__proto__')
        faults.push({ pointer: place, code: 'unknown-member', message: 'is not a member.' });
      inspect(member, place, faults);
    }
  }
}

/** PostgreSQL cannot hold NUL in a text, and half of a surrogate pair is no character at all. */
function inspectText(text: string, pointer: string, faults: Fault[]): void {
  if (text.includes('\u0000'))
    faults.push({ pointer, code: 'nul', message: 'must not contain the character U+0000.' });
  if (!text.isWellFormed()) {
    faults.push({ pointer, code: 'surrogate', message: 'must not contain half of a surrogate pair.' });
  }
}

function inspectNumber(value: number, pointer: string, faults: Fault[]): void {
  if (Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)) return;
  faults.push({
    pointer,
    code: 'number-range',
    message: 'is too large to be held exactly; send a number of that size as text.',
  });
}
