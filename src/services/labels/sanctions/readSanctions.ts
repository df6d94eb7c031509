import { CsvError } from '../../../lib/csv.ts';
import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import { inSlices } from '../../../lib/inSlices.ts';
import { XmlError } from '../../../lib/xml.ts';
import { Problem, unprocessable } from '../../../model/errors.ts';
import type { NewLabel } from '../../../store/labels/upsertLabels.ts';
import { readListed } from './findAddresses.ts';
import { ListError, type ListedAddress, type ListFormat } from './listedAddress.ts';
import { readJsonList } from './readJsonList.ts';
import { readTextList } from './readTextList.ts';
import { readXmlList } from './readXmlList.ts';

/** Labels in a sanctions list, without their source. */
export type SanctionsFile = {
  format: ListFormat;
  labels: Omit<NewLabel, 'source'>[];
  /** Addresses of chains that Vigil does not watch, by currency. */
  unsupported: ReadonlyMap<string, number>;
  faultCount: number;
  /** The first of them. */
  faults: string[];
};

/** The largest published list has about 120 MiB. */
const maxBytes = 256 * 1024 * 1024;
const maxLabels = 200_000;
const maxFaults = 10_000;
const maxCurrencies = 1000;
const shownFaults = 100;
/** More of them than the note of a label has room for. */
const shownPrograms = 100;

/** Reads a published sanctions list while it arrives; which one it is shows in how it begins. */
export async function readSanctions(bytes: AsyncIterable<Uint8Array>): Promise<SanctionsFile> {
  const labels = new Map<string, Omit<NewLabel, 'source'>>();
  const unsupported = new Map<string, number>();
  const faults: string[] = [];
  let faultCount = 0;
  let format: ListFormat | undefined;

  function add(listed: ListedAddress): void {
    const address = readListed(listed.address, listed.currency);
    if (address === 'unsupported') {
      const currency = (listed.currency ?? '').slice(0, 100);
      if (unsupported.size === maxCurrencies && !unsupported.has(currency))
        throw new ListError(`${listed.at}: the list has more than ${maxCurrencies} unknown currencies.`);
      unsupported.set(currency, (unsupported.get(currency) ?? 0) + 1);
    } else if ('fault' in address) {
      faultCount += 1;
      if (faults.length < shownFaults) faults.push(`${listed.at}: ${address.fault}`);
      if (faultCount > maxFaults) throw hopeless(listed.at, faults);
    } else {
      const key = `${address.chainUid ?? ''} ${address.address}`;
      // A list may name an address for several people; the first names it, as it does in the list.
      if (!labels.has(key)) labels.set(key, { ...address, ...toMembers(listed) });
      if (labels.size > maxLabels)
        throw new ListError(`${listed.at}: the list has more than ${maxLabels} addresses.`);
    }
  }

  try {
    for await (const listed of readListing(bytes, (listFormat) => (format = listFormat))) {
      await yieldToEventLoop();
      add(listed);
    }
  } catch (error) {
    if (error instanceof ListError || error instanceof XmlError || error instanceof CsvError)
      throw unprocessable('', 'malformed', error.message);
    throw error;
  }
  if (!format) throw unprocessable('', 'empty', 'The file is empty; send the whole list.');
  return { format, labels: [...labels.values()], unsupported, faultCount, faults };
}

async function* readListing(
  bytes: AsyncIterable<Uint8Array>,
  onFormat: (format: ListFormat) => void,
): AsyncGenerator<ListedAddress> {
  const texts = inSlices(decode(bytes));
  let head = '';
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    head += next.value;
    if (head.length > headLength) break;
  }
  const pieces = (async function* () {
    yield head;
    for (let next = await texts.next(); !next.done; next = await texts.next()) yield next.value;
  })();
  const start = head.replace(/^\ufeff/, '').trimStart();
  if (start === '') return;
  if (start.startsWith('<')) yield* readXmlList(pieces, onFormat);
  else if (/^[[{]/.test(start)) yield* readJsonList(pieces, onFormat);
  else yield* readTextList(pieces, start, onFormat);
}

/** Enough for the first lines of any list. */
const headLength = 16 * 1024;

async function* decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let size = 0;
  try {
    for await (const piece of bytes) {
      size += piece.byteLength;
      if (size > maxBytes)
        throw new Problem('too-large', `A sanctions list may have ${maxBytes / 1024 / 1024} MiB.`);
      yield decoder.decode(piece, { stream: true });
    }
    yield decoder.decode();
  } catch (cause) {
    if (cause instanceof TypeError) throw new ListError('The file is not UTF-8 text.', { cause });
    throw cause;
  }
}

function toMembers({ name, reference, programs = [], currency }: ListedAddress) {
  const facts = [
    reference ? `entry ${reference}` : '',
    [...new Set(programs.slice(0, shownPrograms))].filter(Boolean).join(', '),
    currency ?? '',
  ].filter(Boolean);
  return {
    name: name ? clean(name, 200) : null,
    tags: ['SANCTION'],
    score: 100,
    note: facts.length > 0 ? clean(facts.join('; '), 2000) : null,
  };
}

/** A file with so many is not the list that was meant, and costs as much as one. */
function hopeless(location: string, faults: readonly string[]): Problem {
  return new Problem(
    'unprocessable',
    `More than ${maxFaults.toLocaleString('en-US')} addresses have faults, so reading stopped (${location}) and nothing was imported. ` +
      `The first ${faults.length} are listed.`,
    { errors: faults.map((message) => ({ pointer: '', code: 'address', message })) },
  );
}

/** PostgreSQL cannot hold the character U+0000. The start of a text is enough, since the same one may stand beside many addresses. */
function clean(text: string, length: number): string {
  return text
    .slice(0, 10 * length)
    .replaceAll('\u0000', ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, length);
}
