import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { isRecord } from '../../lib/isRecord.ts';
import { type Fault, Problem } from '../../model/errors.ts';
import { escapePointer } from '../../model/schemaFaults.ts';
import { faultLimit, invalidInput } from '../../model/validate.ts';
import { type LongText, maxItems, scanJson } from './scanJson.ts';

type Known = ReadonlySet<string> | undefined;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
/** Within a text U+FEFF is a character. */
const innerDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The JSON value of a body, refused where JavaScript or PostgreSQL would silently change it. */
export function readJson(body: Buffer, members?: Known): unknown {
  const text = decode(body, decoder);
  finish(scanJson(body, { known: members }));
  const value = parse(text);
  refuseUnstorable(value, '');
  return value;
}

/** The same for a body of megabytes, with turns of others in between; long texts, most of such a body, are read in slices. */
export async function readLongJson(body: Buffer, members?: Known): Promise<unknown> {
  const scan = scanJson(body, { known: members });
  let step = scan.next();
  for (; !step.done; step = scan.next()) await yieldToEventLoop();
  const mark = `${randomUUID()} `;
  const texts: string[] = [];
  const rest: Buffer[] = [];
  let index = 0;
  for (const long of step.value) {
    rest.push(body.subarray(index, long.start), Buffer.from(`"${mark}${texts.length}"`));
    texts.push(await readText(body, long));
    index = long.end;
  }
  rest.push(body.subarray(index));
  const short = parse(decode(Buffer.concat(rest), decoder));
  await nextTurn();
  const value = restore(short, (text) =>
    text.startsWith(mark) ? texts[Number(text.slice(mark.length))] : undefined,
  );
  refuseUnstorable(value, '');
  return value;
}

async function readText(body: Buffer, { start, end, cuts }: LongText): Promise<string> {
  const slices: string[] = [];
  let index = start + 1;
  for (const cut of [...cuts, end - 1]) {
    await yieldToEventLoop();
    slices.push(String(parse(`"${decode(body.subarray(index, cut), innerDecoder)}"`)));
    index = cut;
  }
  return slices.join('');
}

/** Puts the long texts back where their marks are. */
function restore(value: unknown, textAt: (mark: string) => string | undefined): unknown {
  if (typeof value === 'string') return textAt(value) ?? value;
  if (Array.isArray(value)) for (const [n, item] of value.entries()) value[n] = restore(item, textAt);
  else if (isRecord(value))
    for (const [name, member] of Object.entries(value)) value[name] = restore(member, textAt);
  return value;
}

export const anonymousBytes = 64 * 1024;
const anonymousMembers = 100;

/** The same for those who have no token, whose bodies have a few members at most. */
export function readAnonymousJson(body: Buffer): unknown {
  finish(scanJson(body, { memberLimit: anonymousMembers }));
  return readJson(body);
}

/** Refuses what JavaScript or PostgreSQL cannot hold as it was sent. */
export function refuseUnstorable(value: unknown, root: string): void {
  const faults: Fault[] = [];
  inspect(value, root, [], faults);
  if (faults.length > 0) throw invalidInput(faults);
}

function finish(scan: ReturnType<typeof scanJson>): void {
  while (!scan.next().done);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/ in JSON.*$|, "?.*$/s, '') : '';
    throw new Problem('malformed-json', `The body is not JSON${reason ? `: ${reason}` : ''}.`);
  }
}

function decode(body: Uint8Array, by: typeof decoder): string {
  try {
    return by.decode(body);
  } catch {
    throw new Problem('malformed-json', 'The body is not UTF-8 text.');
  }
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
