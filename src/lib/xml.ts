import sax from 'sax';

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

/** Without the entities of HTML, which the types of the package do not know of. */
const strict: sax.SAXOptions & { strictEntities: boolean } = { strictEntities: true };
const maxDepth = 64;
const maxNodes = 50_000;
const maxText = 1024 * 1024;
/** Far more than any published list has; an element is one piece of work for the parser. */
const maxAttributes = 64;
const maxTag = 64 * 1024;

/**
 * Yields whole elements of a streamed XML text as they end, those that `isWanted` selects; of the first, `root`, only
 * its start. Entities are refused but for XML's five, so no document can include another.
 */
export async function* readXml(
  pieces: AsyncIterable<string> | Iterable<string>,
  isWanted: (name: string) => boolean,
  onRoot: (root: XmlElement) => void,
): AsyncGenerator<XmlElement[]> {
  const parser = sax.parser(true, strict);
  const fault = (message: string, line = parser.line + 1) => new XmlError(line, message);
  /** Open elements, the first of which is wanted, and how many are open around it. */
  const open: XmlElement[] = [];
  let outer = 0;
  let size = 0;
  let textSize = 0;
  let hasRoot = false;
  let line = 1;
  /** Position of the tag that has not ended yet. */
  let tagStart: number | undefined;
  let attributeCount = 0;
  let elements: XmlElement[] = [];

  const checkTag = () => {
    if (tagStart !== undefined && parser.position - tagStart > maxTag)
      throw fault('an element has more than 64 KiB of attributes.', line);
  };

  const count = (length: number) => {
    textSize += length;
    if (textSize > maxText) throw fault('one entry has more than 1 MiB of text and attributes.');
  };
  const addText = (text: string) => {
    const element = open.at(-1);
    if (!element) return;
    count(text.length);
    element.text += text;
  };
  Object.assign(parser, {
    onerror({ message }: Error) {
      // The parser adds line, column and character to its words.
      throw fault(`not well-formed XML: ${message.split('\n')[0]}.`);
    },
    ondoctype() {
      throw fault('a document type or entity is not accepted.');
    },
    onopentagstart() {
      line = parser.line + 1;
      tagStart = parser.position;
      attributeCount = 0;
    },
    onattribute() {
      attributeCount += 1;
      if (attributeCount > maxAttributes)
        throw fault(`an element has more than ${maxAttributes} attributes.`, line);
    },
    onopentag(tag: sax.Tag) {
      checkTag();
      const length = parser.position - (tagStart ?? 0);
      tagStart = undefined;
      const attributes = Object.fromEntries(
        Object.entries(tag.attributes).map(([name, value]) => [localName(name), value]),
      );
      const element = { name: localName(tag.name), line, attributes, children: [], text: '' };
      if (outer + open.length >= maxDepth)
        throw fault(`elements are nested deeper than ${maxDepth} levels.`, line);
      if (!hasRoot) onRoot(element);
      else if (outer === 0) throw fault('a second element follows the first one.', line);
      const parent = open.at(-1);
      if (!parent && !(hasRoot && isWanted(element.name))) {
        outer += 1;
        hasRoot = true;
        return;
      }
      if (++size > maxNodes) throw fault(`one entry has more than ${maxNodes} elements.`, line);
      count(length);
      parent?.children.push(element);
      open.push(element);
    },
    onclosetag() {
      const element = open.pop();
      if (!element) outer -= 1;
      else if (open.length === 0) {
        elements.push(element);
        size = 0;
        textSize = 0;
      }
    },
    ontext: addText,
    oncdata: addText,
  });

  for await (const piece of pieces) {
    parser.write(piece);
    checkTag();
    yield elements;
    elements = [];
  }
  if (open.length + outer > 0) throw fault('the text ends in the middle; it is not whole.');
  parser.close();
  if (!hasRoot) throw fault('there is no element in the text.');
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
