import { type Static, Type } from 'typebox';
import {
  Flag,
  Id,
  List,
  Millis,
  Name,
  nullable,
  OneOf,
  Shape,
  Text,
  TextMap,
  Words,
} from '../../model/schema.ts';
import { idField, searchedStatus, timeFields } from './commonFields.ts';
import { createOnly, readOnly } from './fields.ts';
import { byTenant, defineTable } from './table.ts';

const plannedChangeStates = ['PENDING', 'OPEN', 'HAPPENED', 'MISSED', 'CANCELED', 'EXPIRED'] as const;

/** One that no one confirmed before its window ended reads as EXPIRED. */
const state = (t: string) => `case
  when ${t}.state = 'PENDING' and ${t}.ends_at <= extract(epoch from clock_timestamp()) * 1000
  then 'EXPIRED' else ${t}.state end`;

const implementation = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
const expectation = Shape(
  {
    kind: Text(
      'The kind of the detector, or the type of the trigger, that will report it.',
      'proxy_upgrade',
      {
        max: 200,
        pattern: '\\S',
      },
    ),
    values: TextMap('Members of the evidence (`meta`) of the alert, and the value that each must have.', {
      implementation,
    }),
    amountMember: nullable(Text('The member of the evidence that is an amount.', 'amount', { max: 200 })),
    amountUpTo: nullable(
      Text('The most that this amount may be, over all alerts of the window together.', '1000.5', {
        max: 160,
        format: 'amount',
      }),
    ),
  },
  ['kind'],
);

export const plannedChangeTable = defineTable({
  kind: 'plannedchange',
  name: 'planned_change',
  fields: {
    id: idField,
    ...timeFields,
    tenantId: readOnly(Id('The owning tenant.'), { notNull: true }),
    contractId: createOnly(Id('The contract that changes.'), { required: true }),
    name: createOnly(Name('What people call it.', 'Vault moves to 2.1'), { required: true }),
    description: createOnly(Text('What is planned, and why.', 'See the release notes.', { max: 10_000 })),
    actors: createOnly(
      Words('Addresses of which one must send the transaction or be called by its sender; anyone if empty.', [
        '0x8589427373D6D84E98730D7795D8f6f8731FDA16',
      ]),
      { default: [] },
    ),
    from: createOnly(Millis('When its window begins.', 4_102_444_800_000), {
      required: true,
      as: (t) => `${t}.starts_at`,
    }),
    to: createOnly(Millis('When its window ends, at most 30 days after it begins.', 4_102_531_200_000), {
      required: true,
      as: (t) => `${t}.ends_at`,
    }),
    expected: createOnly(
      Type.Unsafe<Static<typeof expectation>[]>({
        ...List(expectation, 'The alerts that it will raise.', { minItems: 1, maxItems: 50 }),
        examples: [[{ kind: 'proxy_upgrade', values: { implementation } }]],
      }),
      { required: true },
    ),
    needsConfirmation: createOnly(
      Flag(
        'Whether a second person must confirm it; always where a wallet of the tenant asks for approvals.',
      ),
      { default: false },
    ),
    state: readOnly(
      OneOf(
        plannedChangeStates,
        'PENDING waits for a second person, OPEN applies within its window, HAPPENED or MISSED once that has ended.',
        'OPEN',
      ),
      { notNull: true, as: state },
    ),
    effectiveAt: readOnly(
      Millis('Since when it applies: since it was made or confirmed. Earlier alerts are judged without it.'),
    ),
    authorId: readOnly(Id('The user who made it; null if a token without a user did.')),
    author: readOnly(Text('How people know who made it.', 'alice@example.com'), { notNull: true }),
    confirmedBy: readOnly(Id('The user who confirmed it.')),
  },
  hidden: { startsAt: 'integer', endsAt: 'integer' },
  searched: searchedStatus,
  visible: byTenant,
  writable: byTenant,
});
