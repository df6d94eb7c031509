import { type Static, type TSchema, Type } from 'typebox';
import type { Fault } from '../../../model/errors.ts';
import { List, maxId, Shape, Text } from '../../../model/schema.ts';
import { invalidInput } from '../../../model/validate.ts';
import { pageMembers, sortList } from '../../http/search.ts';

const time = (description: string, example: number) =>
  Type.Integer({ description, minimum: 0, maximum: maxId, examples: [example] });

export const queryText = Type.String({
  description:
    'Query-string syntax of the search engine: field:value, "phrases", wildcards, /regular expressions/, [ranges TO here], AND, OR, NOT, + and -. Unfielded terms look in every field. Fuzzy terms (word~) match nothing. Blank means no filter. Its cost is estimated before it runs and limited to 10,000 (1,500 where it is tried on every alert): a comparison costs about 2, a pattern 3 to 40 and in `meta` 250, for each field.',
  maxLength: 32_000,
  examples: ['severity:HIGH AND message:transfer'],
});

export const timeseries = List(
  Shape(
    {
      from: time('Start in milliseconds, included.', 1_792_108_800_000),
      to: time('End in milliseconds, included.', 1_794_787_199_999),
    },
    ['from', 'to'],
  ),
  'Ranges of timestamps; what lies in none of them is not read.',
  { minItems: 1, maxItems: 100 },
);

export const trackTotalCount = Type.Integer({
  description: 'Up to which value `total` is counted; 0 disables it and returns 0.',
  minimum: 0,
  maximum: maxId,
  default: 10_000,
  examples: [10_000],
});

type FamilyQ = {
  from?: number;
  size?: number;
  query?: string;
  timeseries?: { from: number; to: number }[];
  trackTotalCount?: number;
  sort?: { field: string; order?: 'asc' | 'desc'; direction?: 'asc' | 'desc' }[];
};

/** Family Q: query-string search, of alerts or of score changes. */
const searchOf = (query: TSchema) =>
  Type.Unsafe<FamilyQ>(
    Shape(
      {
        ...pageMembers,
        query,
        timeseries,
        trackTotalCount,
        sort: sortList('The order of the records; newest first if left out.', 'timestamp'),
      },
      [],
    ),
  );

export const familyQ = searchOf(queryText);
export const scoreFamilyQ = searchOf(Type.Unsafe({ ...queryText, examples: ['scoreChange:<-5'] }));

export function familyQReply<T extends TSchema>(record: T) {
  return Type.Unsafe<{ data: Static<T>[]; total: number; partial?: string[] }>({
    ...Shape(
      {
        data: List(record, 'The records of this page.'),
        total: Type.Integer({
          description: 'Number of matching records, counted up to `trackTotalCount`.',
          minimum: 0,
          examples: [1],
        }),
        partial: List(
          Text('A database worker that does not answer.', 'worker 2'),
          'Only where a search over all tenants lacks the documents of some workers: their names.',
        ),
      },
      ['data', 'total'],
    ),
  });
}

/** Ranges that end before they begin. */
export function checkTimeseries(ranges: readonly { from: number; to: number }[] | undefined): void {
  const faults = (ranges ?? []).flatMap(({ from, to }, index): Fault[] =>
    from > to
      ? [{ pointer: `/timeseries/${index}/to`, code: 'order', message: 'must not be before `from`.' }]
      : [],
  );
  if (faults.length > 0) throw invalidInput(faults);
}
