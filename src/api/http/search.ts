import { type Static, type TSchema, Type } from 'typebox';
import { List, OneOf, Shape } from '../../model/schema.ts';

const orders = ['asc', 'desc'] as const;

const sortItem = Shape(
  {
    field: Type.String({
      description: 'The field to sort by.',
      minLength: 1,
      maxLength: 200,
      examples: ['createdAt'],
    }),
    order: OneOf(orders, 'The direction; ascending if left out.', 'desc'),
    direction: OneOf(orders, 'Another name for `order`.', 'desc'),
  },
  ['field'],
);

/** In which order records come; `example` is a field that they have. */
export function sortList(description: string, example: string) {
  return Type.Unsafe<Static<typeof sortItem>[]>({
    ...List(sortItem, description, { minItems: 1, maxItems: 16 }),
    examples: [[{ field: example, order: 'desc' }]],
  });
}

/** The page of the found records. */
export const pageMembers = {
  from: Type.Integer({
    description: 'Number of records to skip.',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    examples: [0],
  }),
  size: Type.Integer({
    description: 'Number of records to return.',
    minimum: 0,
    maximum: 10_000,
    default: 10,
    examples: [10],
  }),
};

/** Family W: where search. */
const familyW = {
  ...pageMembers,
  where: Type.String({
    description:
      'Which records, written like an SQL where clause: comparisons (= <> < <= > >=), IN, LIKE, ILIKE, BETWEEN, IS NULL, CONTAINS, joined by AND, OR, NOT. Text stands in single quotes. Deleted records are left out unless the clause names `status`.',
    maxLength: 8192,
    examples: ["status = 'ACTIVE' and createdAt >= 1794700800000"],
  }),
  sort: sortList('The order of the records; by id if left out.', 'createdAt'),
  trackTotal: Type.Boolean({
    description: 'True to count all matching records into `total`.',
    default: false,
    examples: [true],
  }),
};

type FamilyW = {
  from?: number;
  size?: number;
  where?: string;
  sort?: { field: string; order?: 'asc' | 'desc'; direction?: 'asc' | 'desc' }[];
  trackTotal?: boolean;
};

export const searchBody = Type.Unsafe<FamilyW>(Shape(familyW, []));

export function searchReply<T extends TSchema>(record: T, more: Readonly<Record<string, TSchema>> = {}) {
  return Type.Unsafe<{ data: Static<T>[]; total?: number }>({
    ...Shape(
      {
        data: List(record, 'The records of this page.'),
        total: Type.Integer({
          description: 'Number of matching records; present only when `trackTotal` is true.',
          minimum: 0,
          examples: [1],
        }),
        ...more,
      },
      ['data'],
    ),
  });
}
