import { membersOf } from '../lib/isRecord.ts';

/** `isAsset`: it may also be what the chain calls an asset that has no address. */
type MapAddress = (address: string, pointer: string, isAsset: boolean) => string;

/** A copy of a configuration in which every address is replaced; the formats of its schema say where addresses are. */
export function mapAddresses(schema: unknown, value: unknown, map: MapAddress, pointer = ''): unknown {
  const { format, items, properties } = membersOf(schema);
  if (typeof value === 'string')
    return mapText(format, value, (address, isAsset) => map(address, pointer, isAsset));
  if (Array.isArray(value))
    return value.map((item: unknown, index) => mapAddresses(items, item, map, `${pointer}/${index}`));
  if (typeof value !== 'object' || value === null) return value;
  const members = membersOf(properties);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      mapAddresses(members[name], member, map, `${pointer}/${name}`),
    ]),
  );
}

function mapText(format: unknown, text: string, map: (address: string, isAsset: boolean) => string): string {
  if (format === 'address') return map(text, false);
  if (format === 'asset') return text === 'native' ? text : map(text, true);
  if (format !== 'addressCsv') return text;
  // The address stands before the first comma of a line.
  return text.replace(/^[^,\r\n]+/gm, (address) => map(address, false));
}
