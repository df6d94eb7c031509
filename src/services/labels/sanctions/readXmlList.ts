import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import { readXml, type XmlElement } from '../../../lib/xml.ts';
import { findAddresses } from './findAddresses.ts';
import { ListError, type ListedAddress, type ListFormat, type Listing } from './listedAddress.ts';

type XmlList = ListFormat & {
  /** The elements that are read as a whole. */
  elements: readonly string[];
  /** Addresses of such an element; made for every file, as one may learn from elements before. */
  createReader(): (element: XmlElement) => Listing;
};

const digitalCurrency = 'Digital Currency Address - ';

/** The lists that are published as XML, by the name of their first element. */
const lists: Readonly<Record<string, XmlList>> = {
  sdnList: {
    title: 'OFAC SDN (XML)',
    source: 'OFAC SDN',
    elements: ['sdnEntry'],
    createReader: () => readSdnEntry,
  },
  Sanctions: {
    title: 'OFAC SDN (advanced XML)',
    source: 'OFAC SDN',
    elements: ['FeatureType', 'DistinctParty'],
    createReader: createAdvancedReader,
  },
  sanctionsData: {
    title: 'OFAC SDN (enhanced XML)',
    source: 'OFAC SDN',
    elements: ['entity'],
    createReader: () => readEnhancedEntity,
  },
  export: {
    title: 'EU consolidated list (XML)',
    source: 'EU consolidated list',
    elements: ['sanctionEntity'],
    createReader: () => readEuEntity,
  },
  ArrayOfFinancialSanctionsTarget: {
    title: 'UK consolidated list (XML)',
    source: 'UK sanctions list',
    elements: ['FinancialSanctionsTarget'],
    createReader: () => readUkTarget,
  },
  Designations: {
    title: 'UK sanctions list (XML)',
    source: 'UK sanctions list',
    elements: ['Designation'],
    createReader: () => readUkDesignation,
  },
};

/** Reads a list in XML; `onFormat` learns which one it is before its first addresses. */
export async function* readXmlList(
  pieces: AsyncIterable<string>,
  onFormat: (format: ListFormat) => void,
): AsyncGenerator<ListedAddress> {
  let list: XmlList | undefined;
  let read: ((element: XmlElement) => Listing) | undefined;
  const isWanted = (name: string) => list?.elements.includes(name) === true;
  const elements = readXml(pieces, isWanted, ({ name }) => {
    list = Object.hasOwn(lists, name) ? lists[name] : undefined;
    if (!list)
      throw new ListError(
        `<${name.slice(0, 100)}> begins none of the lists that Vigil knows, which begin with ${Object.keys(
          lists,
        )
          .map((name) => `<${name}>`)
          .join(', ')}.`,
      );
    read = list.createReader();
    onFormat(list);
  });
  for await (const batch of elements)
    for (const element of batch) {
      await yieldToEventLoop();
      if (read) yield* read(element);
    }
}

function* readSdnEntry(entry: XmlElement): Generator<ListedAddress> {
  const name = [textOf(entry, 'firstName'), textOf(entry, 'lastName')].filter(Boolean).join(' ');
  const programs = all(entry, 'program').map(({ text }) => text.trim());
  const reference = textOf(entry, 'uid');
  for (const id of all(entry, 'id')) {
    const type = textOf(id, 'idType');
    if (!type.startsWith(digitalCurrency)) continue;
    const currency = type.slice(digitalCurrency.length).trim();
    yield { at: at(id), address: textOf(id, 'idNumber'), currency, name, programs, reference };
  }
}

const maxCurrencies = 1000;

/** The types of features have numbers, which the list defines before its parties. */
function createAdvancedReader(): (element: XmlElement) => Listing {
  const currencies = new Map<string, string>();
  return function* (element) {
    if (element.name === 'FeatureType') {
      const type = element.text.trim();
      if (currencies.size > maxCurrencies)
        throw new ListError(`${at(element)}: the list has too many currencies.`);
      if (type.startsWith(digitalCurrency))
        currencies.set(element.attributes.ID ?? '', type.slice(digitalCurrency.length).trim());
      return;
    }
    const aliases = all(element, 'Alias');
    const primary = aliases.find(({ attributes }) => attributes.Primary === 'true') ?? aliases[0];
    const parts = primary ? all(primary, 'NamePartValue').map(({ text }) => text.trim()) : [];
    const name = parts.join(' ');
    const reference = element.attributes.FixedRef ?? '';
    for (const feature of all(element, 'Feature')) {
      const currency = currencies.get(feature.attributes.FeatureTypeID ?? '');
      if (currency === undefined) continue;
      for (const detail of all(feature, 'VersionDetail'))
        yield { at: at(detail), address: detail.text.trim(), currency, name, reference };
    }
  };
}

function* readEnhancedEntity(entity: XmlElement): Generator<ListedAddress> {
  const names = all(entity, 'name');
  const primary = names.find((name) => textOf(name, 'isPrimary') === 'true') ?? names[0];
  const name = (primary && all(primary, 'formattedFullName')[0]?.text.trim()) ?? '';
  const reference = entity.attributes.id ?? '';
  const programs = all(entity, 'sanctionsProgram').map(({ text }) => text.trim());
  for (const feature of all(entity, 'feature')) {
    const type = textOf(feature, 'type');
    if (!type.startsWith(digitalCurrency)) continue;
    const currency = type.slice(digitalCurrency.length).trim();
    yield { at: at(feature), address: textOf(feature, 'value'), currency, name, programs, reference };
  }
}

/** No member of the list is for addresses, so its remarks and identifications are searched. */
function readEuEntity(entity: XmlElement): Listing {
  const texts = [
    ...all(entity, 'remark').map(({ text }) => text),
    ...all(entity, 'identification').flatMap(({ attributes }) => [
      attributes.number ?? '',
      attributes.latinNumber ?? '',
    ]),
  ];
  const name = all(entity, 'nameAlias').find(({ attributes }) => attributes.wholeName)?.attributes.wholeName;
  const programs = [
    ...new Set(all(entity, 'regulation').flatMap(({ attributes }) => attributes.programme ?? [])),
  ];
  return inTexts(entity, texts, { name, programs, reference: entity.attributes.euReferenceNumber });
}

function readUkTarget(target: XmlElement): Listing {
  const parts = ['name1', 'name2', 'name3', 'name4', 'name5', 'Name6'].map((part) => textOf(target, part));
  return inTexts(target, allTexts(target), {
    name: parts.filter(Boolean).join(' '),
    programs: [textOf(target, 'RegimeName')],
    reference: textOf(target, 'UKSanctionsListRef') || textOf(target, 'GroupID'),
  });
}

function readUkDesignation(designation: XmlElement): Listing {
  const names = all(designation, 'Name').filter(({ children }) => children.length > 0);
  const primary = names.find((name) => /^primary name$/i.test(textOf(name, 'NameType'))) ?? names[0];
  const parts = ['Name1', 'Name2', 'Name3', 'Name4', 'Name5', 'Name6'].map((part) =>
    primary ? textOf(primary, part) : '',
  );
  return inTexts(designation, allTexts(designation), {
    name: parts.filter(Boolean).join(' '),
    programs: [textOf(designation, 'RegimeName')],
    reference: textOf(designation, 'UniqueID'),
  });
}

type Entry = { name: string | undefined; programs: string[]; reference: string | undefined };

async function* inTexts(
  element: XmlElement,
  texts: readonly string[],
  { name = '', programs, reference = '' }: Entry,
): AsyncGenerator<ListedAddress> {
  for await (const address of findAddresses(texts.join('\n')))
    yield { at: at(element), address, name, programs, reference };
}

function at({ name, line }: XmlElement): string {
  return `Line ${line}, <${name}>`;
}

/** Descendants of this name, but none within another one, or each would be read once for every level. */
function all(element: XmlElement, name: string, elements: XmlElement[] = []): XmlElement[] {
  for (const child of element.children)
    if (child.name === name) elements.push(child);
    else all(child, name, elements);
  return elements;
}

/** The text of a child, empty when there is none. */
function textOf(element: XmlElement, name: string): string {
  return element.children.find((child) => child.name === name)?.text.trim() ?? '';
}

function allTexts(element: XmlElement, texts: string[] = []): string[] {
  texts.push(element.text);
  for (const child of element.children) allTexts(child, texts);
  return texts;
}
