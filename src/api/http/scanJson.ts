import { type Fault, Problem } from '../../model/errors.ts';
import { escapePointer, unknownMember } from '../../model/schemaFaults.ts';
import { faultLimit, invalidInput } from '../../model/validate.ts';

const maxDepth = 64;
export const maxItems = 10_000;
/** Distinct names are what makes parsing expensive: a body of 1 MiB holds 90,000, which would take a tenth of a second. */
const maxMembers = 50_000;
const maxValues = 200_000;

/** A text that is long enough to be read in slices; none of them begins within a character or an escape. */
export type LongText = { start: number; end: number; cuts: number[] };

const sliceBytes = 64 * 1024;

type Options = { memberLimit?: number; known?: ReadonlySet<string> | undefined };

/**
 * Scans the bytes of a JSON text before parsing, so that deep or wide ones cost nothing else. Pauses after each slice
 * and returns the positions of long texts. `known`: the only permitted top-level members.
 */
export function* scanJson(
  bytes: Uint8Array,
  { memberLimit = maxMembers, known }: Options = {},
): Generator<void, LongText[]> {
  const members = [0];
  const longTexts: LongText[] = [];
  const unknown: Fault[] = [];
  let depth = 0;
  let total = 0;
  let values = 0;
  let pauseAt = sliceBytes;
  /** Beginning and end of the last text. */
  let start = 0;
  let end = 0;
  for (let index = 0; index < bytes.length; index++) {
    if (index >= pauseAt) {
      yield;
      pauseAt = index + sliceBytes;
    }
    const byte = bytes[index];
    if (byte === 0x22) {
      start = index;
      const cuts: number[] = [];
      for (index += 1; index < bytes.length && bytes[index] !== 0x22; index++) {
        if (index >= pauseAt && !isContinuation(bytes[index])) {
          yield;
          cuts.push(index);
          pauseAt = index + sliceBytes;
        }
        if (bytes[index] === 0x5c) index += bytes[index + 1] === 0x75 ? 5 : 1;
      }
      end = index + 1;
      if (cuts.length > 0) longTexts.push({ start, end, cuts });
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth)
        throw new Problem('malformed-json', `The body is nested deeper than ${maxDepth} levels.`);
      members[depth] = 0;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === 0x2c) {
      if (++values > maxValues) throw tooMany(`must have at most ${maxValues} values in all.`);
    } else if (byte === 0x3a) {
      // The text before it was a name.
      if (longTexts.at(-1)?.start === start) longTexts.pop();
      if (++total > memberLimit) throw tooMany(`must have at most ${memberLimit} members in all.`);
      const count = (members[depth] ?? 0) + 1;
      members[depth] = count;
      if (count > maxItems) throw tooMany(`must not have an object with more than ${maxItems} members.`);
      if (known && depth === 1) {
        const name = readName(bytes.subarray(start, end));
        if (name !== undefined && !known.has(name))
          unknown.push(unknownMember(`/${escapePointer(name)}`, name, known, unknown.length));
        if (unknown.length === faultLimit) throw invalidInput(unknown);
      }
    }
  }
  return longTexts;
}

/** Undefined where it is not JSON, which parsing finds as well. */
function readName(bytes: Uint8Array): string | undefined {
  try {
    const name: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

function tooMany(message: string): Problem {
  return invalidInput([{ pointer: '', code: 'too-many', message }]);
}

/** A byte within a character of UTF-8. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}
