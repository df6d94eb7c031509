import { searchRecords } from './api.ts';
import { can } from './session.ts';
import { useLoad } from './useLoad.ts';

/** What the tenant calls addresses: its own contracts and wallets, and labels. */
export function useAddressNames(addresses: ReadonlySet<string>): ReadonlyMap<string, string> {
  const wanted = [...addresses].sort();
  const { data } = useLoad(wanted.length === 0 ? null : wanted.join(), async (signal) => {
    const where = `address in (${wanted.map((address) => `'${address}'`).join(', ')})`;
    const [contracts, wallets, labels] = await Promise.all([
      searchRecords<{ address: string; name: string }>('/contract', { where, size: 100 }, signal),
      can('POST /wallet/search')
        ? searchRecords<{ address: string; name: string }>('/wallet', { where, size: 100 }, signal)
        : { data: [] },
      can('POST /label/search')
        ? searchRecords<{ address: string; name: string | null; tags: string[] }>(
            '/label',
            { where, size: 100 },
            signal,
          )
        : { data: [] },
    ]);
    return new Map([
      ...labels.data.map(({ address, name, tags }): [string, string] => [
        address.toLowerCase(),
        name ?? tags.join(', '),
      ]),
      ...[...wallets.data, ...contracts.data].map(({ address, name }): [string, string] => [
        address.toLowerCase(),
        name,
      ]),
    ]);
  });
  return data ?? none;
}

const none: ReadonlyMap<string, string> = new Map();
