import { decodeXmlText } from './decodeXmlText.ts';

export type XmlElement = {
  /** Without its namespace prefix. */
  readonly name: string;
  /** The line of the text on which it begins, counted from 1. */
  readonly line: number;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
};

export class XmlError extends Error {
  override readonly name = 'XmlError';

  constructor(line: number, message: string) {
    super(`Line ${line}: ${message}`);
  }
}

type Pieces = AsyncIterable<string> | Iterable<string>;

/**
 * Whole elements of an XML text that comes in pieces, as they end; of the others only `root`, the first, is reported, without
 * its content. `isWanted` says which, so that a text of any length needs no more memory than its largest wanted element.
 * Entities other than the five of XML do not exist, so a document cannot include another one or grow while it is read.
 */
export async function* readXml(
  pieces: Pieces,
  isWanted: (name: string) => boolean,
  onRoot: (root: XmlElement) => void,
): AsyncGenerator<XmlElement[]> {
  /** Names of the elements that are open and not wanted. */
  const outer: string[] = [];
  /** Open elements, the first of which is wanted. */
  const inner: XmlElement[] = [];
  let size = 0;
  let hasRoot = false;
  let found: XmlElement[] = [];

  function open(element: XmlElement, isClosed: boolean): void {
    if (outer.length + inner.length >= maxDepth)
      throw new XmlError(element.line, `elements are nested deeper than ${maxDepth} levels.`);
    if (!hasRoot) onRoot(element);
    else if (outer.length === 0) throw new XmlError(element.line, 'a second element follows the first one.');
    const parent = inner.at(-1);
    const isWhole = parent !== undefined || (hasRoot && isWanted(element.name));
    hasRoot = true;
    parent?.children.push(element);
    if (isWhole && ++size > maxNodes)
      throw new XmlError(element.line, `one entry has more than ${maxNodes} elements.`);
    if (isClosed && isWhole && !parent) found.push(element);
    if (isClosed) return;
    if (isWhole) inner.push(element);
    else outer.push(element.name);
  }

  function close(name: string, line: number): void {
    const element = inner.at(-1);
    const expected = element?.name ?? outer.at(-1);
    if (expected !== name)
      throw new XmlError(
        line,
        expected === undefined
          ? `</${name}> closes nothing.`
          : `</${name}> stands where </${expected}> is expected.`,
      );
    if (!element) {
      outer.pop();
      return;
    }
    inner.pop();
    if (inner.length > 0) return;
    found.push(element);
    size = 0;
  }

  const reader = createTokenReader({
    open,
    close,
    text(text) {
      const element = inner.at(-1);
      if (element) element.text += text;
    },
  });
  for await (const piece of pieces) {
    reader.read(piece);
    yield found;
    found = [];
  }
  const line = reader.end();
  const left = inner.at(-1)?.name ?? outer.at(-1);
  if (left !== undefined) throw new XmlError(line, `the text ends before </${left}>; it is not whole.`);
  if (!hasRoot) throw new XmlError(line, 'there is no element in the text.');
}

const maxDepth = 64;
const maxNodes = 200_000;
/** A tag, comment or text that is never closed must not fill the memory. */
const maxToken = 4 * 1024 * 1024;

type Handlers = {
  open(element: XmlElement, isClosed: boolean): void;
  close(name: string, line: number): void;
  text(text: string): void;
};

function createTokenReader({ open, close, text }: Handlers) {
  let rest = '';
  let line = 1;
  let isFirst = true;

  function readTag(tag: string): void {
    if (tag.startsWith('/')) {
      close(localName(tag.slice(1).trim()), line);
      return;
    }
    const isClosed = tag.endsWith('/');
    const body = isClosed ? tag.slice(0, -1) : tag;
    const space = body.search(/\s/);
    const name = space === -1 ? body : body.slice(0, space);
    if (!/^[^=<'"]+$/.test(name)) throw new XmlError(line, `<${tag.slice(0, 40)}> is not a tag.`);
    const attributes = space === -1 ? {} : readAttributes(body.slice(space), line);
    open({ name: localName(name), line, attributes, children: [], text: '' }, isClosed);
  }

  /** What begins at `at` and how far it goes; undefined when the next piece is needed. */
  function readMarkup(at: number): number | undefined {
    if (/[!?]/.test(rest.charAt(at + 1))) return readSection(at);
    const stop = endOfTag(rest, at);
    if (stop === -1) return undefined;
    readTag(rest.slice(at + 1, stop));
    return stop + 1;
  }

  function readSection(at: number): number | undefined {
    for (const [start, end] of sections) {
      if (!rest.startsWith(start, at)) {
        // What may still become this section is not read as a tag.
        if (start.startsWith(rest.slice(at))) return undefined;
        continue;
      }
      const stop = rest.indexOf(end, at + start.length);
      if (stop === -1) return undefined;
      if (start === '<![CDATA[') text(rest.slice(at + start.length, stop));
      return stop + end.length;
    }
    throw new XmlError(line, 'a document type or entity is not accepted.');
  }

  return {
    read(piece: string): void {
      rest += isFirst && piece.startsWith('\ufeff') ? piece.slice(1) : piece;
      isFirst = false;
      let at = 0;
      for (;;) {
        const start = rest.indexOf('<', at);
        // Text goes on in the next piece when no tag ends it, and so may an entity.
        if (start === -1) break;
        if (start > at) {
          text(decodeXmlText(rest.slice(at, start), (message) => new XmlError(line, message)));
          line += lines(rest, at, start);
        }
        at = start;
        const next = readMarkup(start);
        if (next === undefined) break;
        line += lines(rest, at, next);
        at = next;
      }
      rest = rest.slice(at);
      if (rest.length > maxToken)
        throw new XmlError(line, 'a tag or text has more than 4 MiB; something is not closed.');
    },
    end(): number {
      if (rest.trim() !== '') throw new XmlError(line, 'the text ends in the middle; it is not whole.');
      return line;
    },
  };
}

const sections = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** The `>` outside of quotes that ends a tag. */
function endOfTag(text: string, start: number): number {
  const first = text.indexOf('>', start);
  if (first === -1 || !/["']/.test(text.slice(start, first))) return first;
  let quote = 0;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 0x22 || code === 0x27) quote = code;
    else if (code === 0x3e) return at;
  }
  return -1;
}

function readAttributes(text: string, line: number): Record<string, string> {
  const attributes: Record<string, string> = {};
  let end = 0;
  for (const match of text.matchAll(/\s+([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gy)) {
    const [whole, name = '', double, single] = match;
    attributes[localName(name)] = decodeXmlText(
      double ?? single ?? '',
      (message) => new XmlError(line, message),
    );
    end = match.index + whole.length;
  }
  if (text.slice(end).trim() !== '')
    throw new XmlError(line, 'a tag has an attribute without a quoted value.');
  return attributes;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function lines(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
