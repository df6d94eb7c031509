import { Flag, Id, Millis, OneOf, Text } from '../../model/schema.ts';
import { idField, searchedStatus, tenantId, timeFields } from './commonFields.ts';
import { createOnly, editable, readOnly } from './fields.ts';
import { byTenant, defineTable } from './table.ts';

const silenceStates = ['UPCOMING', 'ACTIVE', 'EXPIRED'] as const;

/** By the clock of the database, which is close enough for people; what is hidden is decided by that of Vigil. */
const state = (t: string) => `case
  when ${t}.ends_at <= extract(epoch from clock_timestamp()) * 1000 then 'EXPIRED'
  when ${t}.starts_at > extract(epoch from clock_timestamp()) * 1000 then 'UPCOMING' else 'ACTIVE' end`;

export const silenceTable = defineTable({
  kind: 'silence',
  name: 'silence',
  fields: {
    id: idField,
    ...timeFields,
    tenantId: createOnly(tenantId, { notNull: true }),
    query: editable(
      Text(
        'The alerts of which no one is notified: a query string as in the search of alerts, `*` for all.',
        'detectorId:3 AND contractId:7',
        { max: 10_000, pattern: '\\S' },
      ),
      { required: true },
    ),
    from: editable(Millis('From when on; from now if left out.', 4_102_444_800_000), {
      notNull: true,
      as: (t) => `${t}.starts_at`,
    }),
    to: editable(
      Millis(
        'Until when, at most 90 days after it begins. Required, because a silence without an end would hide what ' +
          'no one expects.',
        4_102_531_200_000,
      ),
      { required: true, as: (t) => `${t}.ends_at` },
    ),
    timeSetId: editable(Id('The time set within which alone it holds; at all times if null.')),
    includeCritical: editable(
      Flag('Whether it holds for CRITICAL alerts too; people are notified of them otherwise.'),
      { default: false },
    ),
    reason: editable(
      Text('Why, for those who wonder later.', 'Planned maintenance of the oracle.', { pattern: '\\S' }),
      {
        required: true,
      },
    ),
    state: readOnly(OneOf(silenceStates, 'Whether it is yet to begin, holds, or has ended.', 'ACTIVE'), {
      notNull: true,
      as: state,
    }),
    authorId: readOnly(Id('The user who made it; null if a token without a user did.')),
    author: readOnly(Text('How people know who made it.', 'alice@example.com'), { notNull: true }),
  },
  hidden: { startsAt: 'integer', endsAt: 'integer', cost: 'integer' },
  searched: searchedStatus,
  visible: byTenant,
  writable: byTenant,
});
