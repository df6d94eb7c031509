import { invalid } from '../../model/errors.ts';
import type { Row } from '../../store/records/records.ts';
import type { instanceMetaTable } from '../../store/tables/instanceMetaTable.ts';
import type { Call } from '../call.ts';
import type { ChangeOf } from '../records/recordKind.ts';

type MetaChange = ChangeOf<typeof instanceMetaTable>;

/** Stores times in one format (UTC, milliseconds), so that their text order is their time order. */
export function prepareInstanceMeta(_call: Call, { input, current }: MetaChange): Row {
  const times = {
    ...(input.startedAt == null ? {} : { startedAt: new Date(input.startedAt).toISOString() }),
    ...(input.expiredAt === undefined
      ? {}
      : { expiredAt: input.expiredAt && new Date(input.expiredAt).toISOString() }),
  };
  const { startedAt, expiredAt } = { ...current, ...times };
  if (typeof startedAt === 'string' && typeof expiredAt === 'string' && expiredAt <= startedAt) {
    throw invalid('/expiredAt', 'order', 'must be later than `startedAt`.');
  }
  return { ...input, ...times };
}
