import { isAscii } from 'node:buffer';
import { yieldToEventLoop } from './eventLoop.ts';
import { InvalidJson, TooDeep, TooManyValues } from './invalidJson.ts';

export type JsonLimits = {
  /** Records, lists, texts, numbers and words, as the signs between them count them. */
  readonly maxValues: number;
  readonly maxDepth: number;
};

/** Up to here an answer is read at once, with at most so many values: a hundredth of a second. */
const maxWholeSize = 1024 * 1024;
const maxWholeValues = 50_000;
/** A larger text is read in parts of this size, so that others get their turn in between. */
const partSize = 64 * 1024;
/** Records beyond this become slow to fill. */
export const maxMembers = 65_536;

/** A record or list that is larger than a part, the places at which it is divided, and those that are as large within it. */
type Large = { from: number; to: number; isList: boolean; cuts: readonly number[]; within: readonly Large[] };

/**
 * Takes JSON in pieces and refuses it as soon as it is too deep or has too many values. Reads large texts in parts, as
 * fast as JSON.parse, without holding the event loop.
 */
export function createJsonIntake(
  { maxValues, maxDepth }: JsonLimits,
  parse: (text: string) => unknown = JSON.parse,
) {
  /** A character for each byte. */
  const texts: string[] = [];
  let isPlain = true;
  let whole: Large | undefined;
  let size = 0;
  let values = 1;
  let lastComma = -1;
  let isText = false;
  let isEscaped = false;
  /** Depth of open brackets. Of each: its kind, position, last comma, and the end of its last part. */
  let depth = 0;
  const isLists: boolean[] = [];
  const froms: number[] = [];
  const commas: number[] = [];
  const ends: number[] = [];
  /** Of the few that are large. */
  const cuts: (number[] | undefined)[] = [];
  const within: (Large[] | undefined)[] = [];

  function close(index: number, isList: boolean): void {
    if (depth === 0 || isLists[--depth] !== isList) throw new InvalidJson('A bracket closes where none may.');
    const from = froms[depth]!;
    if (index - from < partSize) return;
    cut(depth, index);
    const large = { from, to: index + 1, isList, cuts: cuts[depth] ?? [], within: within[depth] ?? [] };
    cuts[depth] = undefined;
    within[depth] = undefined;
    if (depth === 0) whole ??= large;
    else {
      // A large member has a part of its own.
      const comma = commas[depth]!;
      if (comma > ends[depth - 1]!) cut(depth - 1, comma);
      const larges = within[depth - 1] ?? [];
      larges.push(large);
      within[depth - 1] = larges;
    }
  }

  function cut(level: number, index: number): void {
    const levelCuts = cuts[level] ?? [];
    levelCuts.push(index);
    cuts[level] = levelCuts;
    ends[level] = index;
  }

  /** Texts are passed over by a native search, and all else is looked at once, with what is counted in variables of its own. */
  function scan(piece: string): void {
    const { length } = piece;
    let backslash = piece.indexOf('\\');
    let comma = lastComma;
    let count = values;
    let end = depth > 0 ? ends[depth - 1]! : 0;
    let index = isText ? skipText(0) : 0;
    for (; index < length; index++) {
      const code = piece.charCodeAt(index);
      if (code === 0x22) {
        const quote = piece.indexOf('"', index + 1);
        index = quote >= 0 && (backslash < 0 || quote < backslash) ? quote : skipText(index + 1) - 1;
      } else if (code === 0x2c) {
        count++;
        comma = size + index;
        if (comma - end >= partSize && depth > 0) {
          cut(depth - 1, comma);
          end = comma;
        }
      } else if (code === 0x7b || code === 0x5b) {
        if (depth === maxDepth) throw new TooDeep();
        count++;
        end = size + index;
        isLists[depth] = code === 0x5b;
        froms[depth] = end;
        ends[depth] = end;
        commas[depth] = comma;
        depth++;
      } else if (code === 0x7d || code === 0x5d) {
        close(size + index, code === 0x5d);
        end = depth > 0 ? ends[depth - 1]! : 0;
      }
    }
    if (count > maxValues) throw new TooManyValues();
    values = count;
    lastComma = comma;
    size += length;

    /** Behind the end of the text that goes on here, or the length of the piece. */
    function skipText(from: number): number {
      let next = from;
      for (;;) {
        if (isEscaped && next < length) {
          isEscaped = false;
          next++;
        }
        if (backslash >= 0 && backslash < next) backslash = piece.indexOf('\\', next);
        const quote = piece.indexOf('"', next);
        const isBefore = backslash < 0 || (quote >= 0 && quote < backslash);
        isText = !isBefore || quote < 0;
        if (isBefore) return quote < 0 ? length : quote + 1;
        isEscaped = true;
        next = backslash + 1;
        if (next === length) return length;
      }
    }
  }

  return {
    /** Bytes so far. */
    size: () => size,
    /** True if reading it takes more than a moment. */
    isLarge: () => size > maxWholeSize || values > maxWholeValues,
    write(piece: Buffer): void {
      const text = piece.toString('latin1');
      scan(text);
      texts.push(text);
      isPlain &&= isAscii(piece);
    },
    /** The value, once all has come. */
    end: (): unknown => read(joined()),
    /** The same in parts. */
    async endInParts(): Promise<unknown> {
      const bytes = joined();
      if (!whole) return read(bytes);
      // Nothing but spaces may stand around it.
      read(`${bytes.slice(0, whole.from)}0${bytes.slice(whole.to)}`);
      return build(bytes, whole, read);
    },
  };

  function joined(): string {
    if (isText || depth > 0) throw new InvalidJson('It ends too early.');
    return texts.join('');
  }

  function read(bytes: string): unknown {
    try {
      return parse(isPlain ? bytes : Buffer.from(bytes, 'latin1').toString());
    } catch (cause) {
      throw new InvalidJson('It is not JSON.', { cause });
    }
  }
}

async function build(
  bytes: string,
  { from, isList, cuts, within }: Large,
  read: (bytes: string) => unknown,
): Promise<unknown> {
  const list: unknown[] = [];
  const record: Record<string, unknown> = {};
  let count = 0;
  let next = 0;
  let start = from + 1;
  for (const end of cuts) {
    const inner = within[next];
    const isInner = inner !== undefined && inner.from >= start && inner.to <= end;
    const part = isInner
      ? `${bytes.slice(start, inner.from)}0${bytes.slice(inner.to, end)}`
      : bytes.slice(start, end);
    const parsed = read(isList ? `[${part}]` : `{${part}}`);
    const members = Array.isArray(parsed) ? parsed.entries() : Object.entries(Object(parsed));
    const value = isInner ? await build(bytes, inner, read) : undefined;
    if (isInner) next++;
    let partCount = 0;
    for (const [key, member] of members) {
      partCount++;
      if (isList) list.push(isInner ? value : member);
      // Assigned, this one would change what the record inherits.
      else if (key !== '__proto__') record[key] = isInner ? value : member;
    }
    if (partCount === 0 && cuts.length > 1) throw new InvalidJson('A member is missing.');
    count += partCount;
    if (!isList && count > maxMembers) throw new TooManyValues();
    start = end + 1;
    await yieldToEventLoop();
  }
  return isList ? list : record;
}
