import { createJsonReader } from '../../../lib/createJsonReader.ts';
import { InvalidJson } from '../../../lib/invalidJson.ts';
import { isRecord } from '../../../lib/isRecord.ts';
import { ListError, type ListedAddress, type ListFormat } from './listedAddress.ts';

/** Its values are kept until the last has come. */
const maxLength = 8 * 1024 * 1024;
const limits = { maxDepth: 64, maxValues: 1_000_000 };

const format: ListFormat = { title: 'addresses (JSON)', source: 'Sanctioned addresses' };

/**
 * Reads a list of addresses in JSON: texts, or objects with `address` and perhaps `name` and `currency`, as an array or as the
 * member `addresses` of an object.
 */
export async function* readJsonList(
  pieces: AsyncIterable<string>,
  onFormat: (format: ListFormat) => void,
): AsyncGenerator<ListedAddress> {
  onFormat(format);
  const value = await parse(pieces);
  const items = isRecord(value) ? value.addresses : value;
  if (!Array.isArray(items))
    throw new ListError(
      'The JSON is neither an array of addresses nor an object with the array `addresses`.',
    );
  for (const [index, item] of items.entries()) yield readItem(item, index);
}

async function parse(pieces: AsyncIterable<string>): Promise<unknown> {
  const reader = createJsonReader(limits);
  let length = 0;
  try {
    for await (const piece of pieces) {
      reader.write(Buffer.from(length === 0 ? piece.replace(/^\ufeff/, '') : piece));
      length += piece.length;
      if (length > maxLength) throw new ListError('A list in JSON may have 8 MiB.');
    }
    return reader.end();
  } catch (cause) {
    if (!(cause instanceof InvalidJson)) throw cause;
    throw new ListError(`The text is not JSON: ${cause.message}`, { cause });
  }
}

function readItem(item: unknown, index: number): ListedAddress {
  const location = `Element ${index}`;
  const { address, name, currency } =
    typeof item === 'string' ? { address: item } : isRecord(item) ? item : {};
  if (typeof address !== 'string')
    throw new ListError(`${location}: is neither an address nor an object with \`address\`.`);
  return {
    at: location,
    address: address.trim(),
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof currency === 'string' ? { currency: currency.toUpperCase() } : {}),
  };
}
