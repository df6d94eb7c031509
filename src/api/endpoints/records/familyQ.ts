import { type Static, type TSchema, Type } from 'typebox';
import { type Fault, invalid } from '../../../model/errors.ts';
import { List, maxId, Shape, Text, Words } from '../../../model/schema.ts';
import { invalidInput } from '../../../model/validate.ts';
import { explainBudget, maxExplainedClauses } from '../../../query/lucene/createExplainer.ts';
import { pageMembers, sortList } from '../../http/search.ts';
import { partial } from './searchReachable.ts';

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
  cursor?: string;
  matched?: boolean;
};

const cursor = Type.String({
  description:
    '`uid` of the last record that you have: the page begins after it, also when records were added meanwhile or it is gone. For the order of `timestamp`, without `from`.',
  maxLength: 36,
  examples: ['01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071'],
});

/** Explaining a hit takes about as long as trying the query on it. */
const maxMatched = 200;

const matched = Type.Boolean({
  description: `True to add \`matched\` to the reply; \`size\` is then at most ${maxMatched}.`,
  default: false,
  examples: [true],
});

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
        cursor,
        matched,
      },
      [],
    ),
  );

export const familyQ = searchOf(queryText);
export const scoreFamilyQ = searchOf(Type.Unsafe({ ...queryText, examples: ['scoreChange:<-5'] }));

const matchedClause = Shape(
  {
    clause: Text('The clause as it stands in the query.', 'message:transfer', { max: 32_000 }),
    position: Type.Integer({
      description: 'The column in which it begins, from 1.',
      minimum: 1,
      examples: [1],
    }),
    members: Words('Members of the record that have the value, such as `meta.amount`; at most 16.', [
      'message',
    ]),
    words: Words('Words of their texts that fit, in lower case; at most 16. None for a whole value.', [
      'transfer',
    ]),
  },
  ['clause', 'position', 'members', 'words'],
);

const explained = List(
  List(matchedClause, 'The clauses that one record matches.'),
  `Only with \`matched\`: for each record, in their order, the clauses that it matches. Of the first ${maxExplainedClauses} clauses that nothing excludes, while they cost less than ${explainBudget} together.`,
);

export function familyQReply<T extends TSchema>(record: T) {
  return Type.Unsafe<{
    data: Static<T>[];
    total: number;
    matched?: Static<typeof matchedClause>[][];
    partial?: string[];
  }>({
    ...Shape(
      {
        data: List(record, 'The records of this page.'),
        total: Type.Integer({
          description: 'Number of matching records, counted up to `trackTotalCount`.',
          minimum: 0,
          examples: [1],
        }),
        matched: explained,
        partial,
      },
      ['data', 'total'],
    ),
  });
}

/** More hits than are explained. */
export function checkMatched({ matched: isWanted, size = 10 }: FamilyQ): void {
  if (isWanted && size > maxMatched)
    throw invalid('/size', 'too-many', `must be at most ${maxMatched} with \`matched\`.`);
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
