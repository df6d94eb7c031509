import { isAscii } from 'node:buffer';
import { type JsonLimits, maxMembers } from './createJsonIntake.ts';
import { InvalidJson, TooDeep, TooManyValues } from './invalidJson.ts';
import { TextHead } from './textHead.ts';

type Level = {
  /** Undefined within a value that is passed over. */
  readonly container: Record<string, unknown> | unknown[] | undefined;
  readonly isList: boolean;
  key: string;
  members: number;
  /** The names of members that are long texts. */
  long?: string[];
};

/** Long texts are cut to heads, in bytes, so that their sender does not choose how much memory they take. */
export type Heads = {
  /** Of one text while its record is read. */
  readonly longest: number;
  /** Of all long texts together; an answer with more is refused. */
  readonly most: number;
  /** Bytes that remain of a member of a record that was read, when `kept` bytes are kept already. */
  remaining(record: Readonly<Record<string, unknown>>, key: string, kept: number): number;
};

export type PieceReading = {
  /** Members of these names are passed over, without a value being made of them. */
  readonly skipped?: ReadonlySet<string>;
  /** Without them all texts are kept whole. */
  readonly heads?: Heads;
};

/** Texts that are kept once: addresses, hashes and short words. */
const maxSharedLength = 66;
const maxShared = 20_000;

/**
 * Reads JSON in UTF-8 that comes piece by piece, so that a large answer never holds the event loop for longer than a piece
 * takes.
 */
export function createJsonReader(
  { maxDepth, maxValues }: JsonLimits,
  { skipped = new Set(), heads }: PieceReading = {},
) {
  const longest = heads?.longest ?? Number.POSITIVE_INFINITY;
  let kept = 0;
  let values = 0;
  const levels: Level[] = [];
  let expected: 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing' =
    'value';
  let result: unknown;
  /** The pieces of a text or of a word (a number, true, false or null) that is not finished. */
  let unfinished: 'text' | 'word' | undefined;
  let parts: Buffer[] = [];
  let partsLength = 0;
  let partsKept = 0;
  const texts = new Map<string, string>();
  let hasEscapes = false;
  let isEscaped = false;

  const isKey = () => expected === 'key' || expected === 'key or end';
  const takesValue = () => expected === 'value' || expected === 'value or end';
  const isPassedOver = () => {
    const level = levels.at(-1);
    return (
      level !== undefined && (level.container === undefined || (!level.isList && skipped.has(level.key)))
    );
  };

  function put(value: unknown): void {
    const level = levels.at(-1);
    expected = level ? 'comma or end' : 'nothing';
    if (!level) result = value;
    else if (isPassedOver()) return;
    else if (++values > maxValues || (++level.members > maxMembers && !level.isList))
      throw new TooManyValues();
    else if (Array.isArray(level.container)) level.container.push(value);
    // Assigned, this one would change what the record inherits.
    else if (level.container && level.key !== '__proto__') level.container[level.key] = value;
  }

  function open(isList: boolean): void {
    if (!takesValue()) throw new InvalidJson('A bracket opens where none may.');
    if (levels.length === maxDepth) throw new TooDeep();
    levels.push({ container: isPassedOver() ? undefined : isList ? [] : {}, isList, key: '', members: 0 });
    expected = isList ? 'value or end' : 'key or end';
  }

  function close(isList: boolean): void {
    const level = levels.pop();
    const mayEnd = expected === 'comma or end' || expected === (isList ? 'value or end' : 'key or end');
    if (level?.isList !== isList || !mayEnd) throw new InvalidJson('A bracket closes where none may.');
    if (heads && level.long) shorten(level, heads);
    put(level.container);
  }

  function shorten({ container, long = [] }: Level, { remaining }: Heads): void {
    if (!container || Array.isArray(container)) return;
    for (const key of long) {
      const value = container[key];
      const isHead = value instanceof TextHead;
      if (!isHead && typeof value !== 'string') continue;
      const text = isHead ? value.text : value;
      const rest = remaining(container, key, kept - text.length);
      if (text.length <= rest) continue;
      // A copy: a part of a text keeps the whole of it in memory.
      const head = Buffer.from(text.slice(0, rest)).toString();
      container[key] = new TextHead(head, isHead ? value.length : text.length);
      kept -= text.length - head.length;
    }
  }

  function separate(isComma: boolean): void {
    const level = levels.at(-1);
    if (!level || expected !== (isComma ? 'comma or end' : 'colon'))
      throw new InvalidJson('A sign is out of place.');
    expected = isComma && !level.isList ? 'key' : 'value';
  }

  function finish(piece: Buffer, from: number, to: number): void {
    const wasText = unfinished === 'text';
    unfinished = undefined;
    if (!isKey() && isPassedOver()) {
      put(undefined);
      return;
    }
    const length = partsLength + to - from;
    const content = piece.subarray(from, Math.min(to, from + longest - partsKept));
    const whole = parts.length === 0 ? content : Buffer.concat([...parts, content]);
    parts = [];
    partsLength = 0;
    partsKept = 0;
    const isCut = length > longest;
    if (isCut && !wasText) throw new InvalidJson('A word is too long.');
    // An escape may be cut in two.
    const bytes = isCut && hasEscapes ? whole.subarray(0, Math.max(0, whole.indexOf(backslash))) : whole;
    const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
    const level = levels.at(-1);
    if (heads && text.length > maxSharedLength && !isKey()) {
      kept += text.length;
      if (kept > heads.most) throw new TooManyValues();
      if (level && !level.isList) {
        level.long ??= [];
        level.long.push(level.key);
      }
    }
    const value = !wasText
      ? parse(text)
      : isCut
        ? new TextHead(text, length)
        : hasEscapes
          ? String(parse(`"${text}"`))
          : shared(text);
    if (level && isKey()) {
      level.key = isCut ? text : String(value);
      expected = 'colon';
    } else put(value);
  }

  /** The same text is kept once: what is dropped at once costs the garbage collector nothing. */
  function shared(text: string): string {
    if (text.length > maxSharedLength) return text;
    const cached = texts.get(text);
    if (cached !== undefined) return cached;
    if (texts.size < maxShared) texts.set(text, text);
    return text;
  }

  /** End of the text that continues at `from`, or the length of the piece. */
  function endOfText(piece: Buffer, from: number, nextBackslash: (from: number) => number): number {
    for (let index = from; ; ) {
      if (isEscaped) {
        isEscaped = false;
        index++;
      }
      const end = piece.indexOf(quote, index);
      const next = nextBackslash(index);
      if (next === -1 || (end !== -1 && end < next)) return end === -1 ? piece.length : end;
      hasEscapes = true;
      isEscaped = true;
      index = next + 1;
      if (index >= piece.length) return piece.length;
    }
  }

  function hold(part: Buffer): void {
    partsLength += part.length;
    if (partsKept >= longest) return;
    const head = part.subarray(0, longest - partsKept);
    parts.push(Buffer.from(head));
    partsKept += head.length;
  }

  return {
    /** About how many bytes are kept. */
    held: () => kept + values * valueBytes,
    write(piece: Buffer): void {
      let known = -2;
      /** Found once for the piece: looking for it again for each text would read the piece again and again. */
      const nextBackslash = (from: number) => {
        if (known === -2 || (known !== -1 && known < from)) known = piece.indexOf(backslash, from);
        return known;
      };
      for (let index = 0; index < piece.length; ) {
        if (unfinished) {
          const end =
            unfinished === 'text' ? endOfText(piece, index, nextBackslash) : endOfWord(piece, index);
          if (end >= piece.length) {
            if (isKey() || !isPassedOver()) hold(piece.subarray(index));
            return;
          }
          const isText = unfinished === 'text';
          finish(piece, index, end);
          index = isText ? end + 1 : end;
          continue;
        }
        const byte = piece[index++];
        if (byte === quote) {
          if (!isKey() && !takesValue()) throw new InvalidJson('A text stands where none may.');
          unfinished = 'text';
          hasEscapes = false;
        } else if (byte === 0x2c || byte === 0x3a) separate(byte === 0x2c);
        else if (byte === 0x7b || byte === 0x5b) open(byte === 0x5b);
        else if (byte === 0x7d || byte === 0x5d) close(byte === 0x5d);
        else if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
          if (!takesValue()) throw new InvalidJson('A word stands where none may.');
          unfinished = 'word';
          index--;
        }
      }
    },
    /** The value, once all has come. */
    end(): unknown {
      if (unfinished === 'word' && levels.length === 0) finish(Buffer.alloc(0), 0, 0);
      if (expected !== 'nothing') throw new InvalidJson('It ends too early.');
      return result;
    },
  };
}

/** About what a value takes up, its place in a record included. */
const valueBytes = 64;

const quote = 0x22;
const backslash = 0x5c;

/** Numbers and names end at a bracket, a comma or a space. */
function endOfWord(piece: Buffer, from: number): number {
  let index = from;
  while (index < piece.length && !wordEnds.has(piece[index]!)) index++;
  return index;
}

const wordEnds = new Set(Buffer.from(',]}: \n\r\t"[{'));

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidJson('A value is not JSON.', { cause });
  }
}
