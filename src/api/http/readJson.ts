import { type Fault, Problem } from '../../model/errors.ts';
import { escapePointer } from '../../model/schemaFaults.ts';
import { faultLimit, invalidInput } from '../../model/validate.ts';

const maxDepth = 64;
const maxItems = 10_000;
/** Distinct names are what makes parsing expensive: a body of 1 MiB holds 90,000, which would take a tenth of a second. */
const maxMembers = 50_000;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** The JSON value of a body, refused where JavaScript or PostgreSQL would silently change it. */
export function readJson(body: Buffer): unknown {
  const text = decode(body);
  checkShape(text, maxMembers);
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

const anonymousBytes = 64 * 1024;
const anonymousMembers = 100;

/** The same for those who have no token, whose bodies have a few members at most: a large one costs next to nothing. */
export function readAnonymousJson(body: Buffer): unknown {
  checkShape(body.toString('latin1', 0, anonymousBytes), anonymousMembers);
  if (body.length <= anonymousBytes) return readJson(body);
  throw new Problem(
    'too-large',
    `A body sent without a token may have at most ${anonymousBytes / 1024} KiB.`,
  );
}

/** Refuses what JavaScript or PostgreSQL cannot hold as it was sent. */
export function refuseUnstorable(value: unknown, root: string): void {
  const faults: Fault[] = [];
  inspect(value, root, [], faults);
  if (faults.length > 0) throw invalidInput(faults);
}

function decode(body: Buffer): string {
  try {
    return decoder.decode(body);
  } catch {
    throw new Problem('malformed-json', 'The body is not UTF-8 text.');
  }
}

/** Counted before parsing, so that a deeply nested or very wide body costs one pass over its bytes and nothing else. */
function checkShape(text: string, memberLimit: number): void {
  const members = [0];
  let depth = 0;
  let total = 0;
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
      members[depth] = 0;
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === 0x3a) {
      if (++total > memberLimit) throw tooManyMembers(`must have at most ${memberLimit} members in all.`);
      const count = (members[depth] ?? 0) + 1;
      members[depth] = count;
      if (count > maxItems)
        throw tooManyMembers(`must not have an object with more than ${maxItems} members.`);
    }
  }
}

function tooManyMembers(message: string): Problem {
  return invalidInput([{ pointer: '', code: 'too-many', message }]);
}

/** `path` is where the value is; it becomes a pointer only when there is a fault to report. */
function inspect(value: unknown, root: string, path: (string | number)[], faults: Fault[]): void {
  if (faults.length >= faultLimit) return;
  const pointer = () => [root, ...path.map((name) => escapePointer(String(name)))].join('/');
  if (typeof value === 'string') inspectText(value, pointer, faults);
  else if (typeof value === 'number') inspectNumber(value, pointer, faults);
  else if (Array.isArray(value)) {
    if (value.length > maxItems) {
      faults.push({
        pointer: pointer(),
        code: 'too-many',
        message: `must have at most ${maxItems} elements.`,
      });
      return;
    }
    for (let i = 0; i < value.length; i++) {
      path.push(i);
      inspect(value[i], root, path, faults);
      path.pop();
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const name of Object.keys(value)) {
      path.push(name);
      inspectText(name, pointer, faults);
      if (name === '__proto__')
        faults.push({ pointer: pointer(), code: 'unknown-member', message: 'is not a member.' });
      inspect(Reflect.get(value, name), root, path, faults);
      path.pop();
    }
  }
}

/** PostgreSQL cannot hold NUL in a text, and half of a surrogate pair is no character at all. */
function inspectText(text: string, pointer: () => string, faults: Fault[]): void {
  if (text.includes('\u0000'))
    faults.push({ pointer: pointer(), code: 'nul', message: 'must not contain the character U+0000.' });
  if (!text.isWellFormed()) {
    faults.push({
      pointer: pointer(),
      code: 'surrogate',
      message: 'must not contain half of a surrogate pair.',
    });
  }
}

function inspectNumber(value: number, pointer: () => string, faults: Fault[]): void {
  if (Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)) return;
  faults.push({
    pointer: pointer(),
    code: 'number-range',
    message: `must be from -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}: a larger number cannot be held exactly.`,
  });
}
