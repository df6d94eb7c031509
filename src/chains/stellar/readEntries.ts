import { isRecord, membersOf } from '../../lib/isRecord.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import { listOf, type Raw, recordOf, textOf } from '../net/members.ts';
import { resultOf } from '../net/replies.ts';
import { decodeXdr, encodeXdr } from './xdr.ts';

/** Entries that nodes read at once. */
const maxKeys = 200;

export type Key = Readonly<Record<string, unknown>>;
export const keyText = (key: Key) => encodeXdr('LedgerKey', key);

/** By their keys; what is not there is left out. Of contracts' instances what is inside. */
export async function readEntries(
  request: Endpoints['request'],
  keys: readonly Key[],
): Promise<ReadonlyMap<string, Raw>> {
  const texts = [...new Set(keys.map(keyText))];
  if (texts.length === 0) return new Map();
  const calls = Array.from({ length: Math.ceil(texts.length / maxKeys) }, (_, page) => ({
    method: 'getLedgerEntries',
    params: { keys: texts.slice(page * maxKeys, (page + 1) * maxKeys), xdrFormat: 'base64' },
  }));
  return request(calls, (replies) => {
    const entries = replies.flatMap((reply) => listOf(recordOf(resultOf(reply)).entries ?? [], 'entries'));
    return new Map(
      entries.map((item) => {
        const { key, xdr } = recordOf(item);
        const entry = recordOf(decodeXdr('LedgerEntryData', textOf(xdr, 'xdr')));
        const { contract_instance: instance } = membersOf(membersOf(entry.contract_data).val);
        return [textOf(key, 'key'), isRecord(instance) ? instance : entry];
      }),
    );
  });
}
