import { unprocessable } from '../../model/errors.ts';
import { addressHash } from '../../store/labels/addressHash.ts';
import type { Row } from '../../store/records/records.ts';
import type { labelTable } from '../../store/tables/labelTable.ts';
import type { Call } from '../call.ts';
import type { ChangeOf } from '../records/recordKind.ts';
import { readLabelAddress, toLabelTags } from './labelMembers.ts';

type LabelChange = ChangeOf<typeof labelTable>;

/** The address must be one of its chain; it is kept, shown and found in its one canonical spelling. */
export function prepareLabel(_call: Call, { input, current, tenantId }: LabelChange): Row {
  const tags = input.tags ? { tags: toLabelTags(input.tags) } : {};
  if (current) return { ...input, ...tags };
  const read = readLabelAddress(input.address, input.chainUid ?? null);
  if ('fault' in read) throw unprocessable('/address', 'not-an-address', read.fault);
  return { ...input, ...tags, tenantId, address: read.canonical, addressHash: addressHash(read.canonical) };
}
