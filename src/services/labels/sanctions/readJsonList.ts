import { isRecord } from '../../../lib/isRecord.ts';
import { ListError, type ListedAddress, type ListFormat } from './listedAddress.ts';

/** A JSON text cannot be read piece by piece, so it is kept whole. */
const maxLength = 8 * 1024 * 1024;

const format: ListFormat = { title: 'addresses (JSON)', source: 'Sanctioned addresses' };

/**
 * Reads a list of addresses in JSON: texts, or objects with `address` and perhaps `name` and `currency`, as an array or as the
 * member `addresses` of an object.
 */
export async function readJsonList(
  pieces: AsyncIterable<string>,
  onFormat: (format: ListFormat) => void,
): Promise<ListedAddress[]> {
  onFormat(format);
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length > maxLength) throw new ListError('A list in JSON may have 8 MiB.');
  }
  const value = parse(text.replace(/^\ufeff/, ''));
  const items = isRecord(value) ? value.addresses : value;
  if (!Array.isArray(items))
    throw new ListError(
      'The JSON is neither an array of addresses nor an object with the array `addresses`.',
    );
  return items.map(readItem);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new ListError(`The text is not JSON: ${reason}.`);
  }
}

function readItem(item: unknown, index: number): ListedAddress {
  const at = `Element ${index}`;
  const { address, name, currency } =
    typeof item === 'string' ? { address: item } : isRecord(item) ? item : {};
  if (typeof address !== 'string')
    throw new ListError(`${at}: is neither an address nor an object with \`address\`.`);
  return {
    at,
    address: address.trim(),
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof currency === 'string' ? { currency: currency.toUpperCase() } : {}),
  };
}
