import { Type } from 'typebox';
import type { ChainUid } from '../../../chains/chains.ts';
import { keysOf } from '../../../lib/keysOf.ts';
import { invalid, Problem } from '../../../model/errors.ts';
import type { Scope } from '../../../model/principal.ts';
import { Id, List, nullable, OneChain, OneOf, Shape, Text } from '../../../model/schema.ts';
import { createSuggestions, type Suggestion } from '../../../services/alerts/createSuggestions.ts';
import type { Call } from '../../../services/call.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { wholeAlert } from './alertSchemas.ts';

const subjects = ['field', 'value', 'signature', 'label'] as const;
type Subject = (typeof subjects)[number];

type Query = {
  of?: Subject;
  field?: string;
  contractId?: number;
  address?: string;
  chainUid?: ChainUid;
  text?: string;
  size?: number;
  tenantId?: number;
};

const query = Type.Unsafe<Query>(
  Shape(
    {
      of: OneOf(
        subjects,
        'What to suggest. If left out: values of a given `field`, signatures of a given `contractId`, names of a given `address`, ' +
          'else fields.',
        'field',
      ),
      field: Text('Of `value`: the field whose values are wanted.', 'name.keyword', { min: 1, max: 200 }),
      contractId: Id('Of `signature`: the contract whose functions and events are wanted.'),
      address: Text(
        'Of `label`: the addresses whose names are wanted, at most 50, separated by commas.',
        '0x8589427373d6d84e98730d7795d8f6f8731fda16',
        { min: 1, max: 10_000 },
      ),
      chainUid: OneChain('Of `label`: the chain of the addresses; any EVM chain if left out.'),
      text: Text('What was typed so far: only what contains it, and first what begins with it.', 'e', {
        max: 200,
      }),
      size: Type.Integer({
        description: 'At most this many; 20 if left out.',
        minimum: 1,
        maximum: 200,
        examples: [20],
      }),
      tenantId: Id('The tenant, for administrators.'),
    },
    [],
  ),
);

const suggestion = Shape(
  {
    value: Text('What to write.', 'severity'),
    type: Text(
      'Of a field its type, else what it is: value, record, function, event, label, contract, wallet.',
      'keyword',
    ),
    label: nullable(Text('Its name or meaning.', 'How bad it is.', { max: 10_000 })),
    count: nullable(
      Type.Integer({ description: 'Number of the newest alerts that have it.', minimum: 0, examples: [12] }),
    ),
  },
  ['value', 'type', 'label', 'count'],
);

/** Completion of what people write: query fields and their values, signatures, names of addresses. */
export function suggestEndpoint(): Endpoint {
  const suggestions = createSuggestions();

  async function find(call: Call, scope: Scope, input: Query, of: Subject): Promise<Suggestion[]> {
    const { text = '', size = 20, chainUid = null } = input;
    switch (of) {
      case 'field':
        return (await suggestions.fields(call, scope)).map(describeField);
      case 'value':
        return suggestions.values(call, scope, needed(input, of, 'field'), text, size);
      case 'signature':
        return suggestions.signatures({ ...call, scope }, needed(input, of, 'contractId'));
      case 'label':
        return suggestions.labels(call, scope, chainUid, needed(input, of, 'address'));
    }
  }

  return endpoint({
    method: 'GET',
    path: '/suggest',
    tag: 'Alerts',
    summary: 'Suggest what to write',
    description:
      'For completion: `of=field` gives the fields of query strings with their types, and the members of `meta` that your newest ' +
      'alerts have; `of=value` the most frequent values of a `field`, or the records whose ids it has; `of=signature` the ' +
      'functions and events of a contract; `of=label` what is known of an address. Counts come from a sample of the newest alerts ' +
      'and may be ten seconds old.',
    query,
    reply: Shape({ data: List(suggestion, 'The suggestions, the likeliest first.') }, ['data']),
    effect: 'read',
    isReport: true,
    problems: ['not-found'],
    handle: async (call, { query: input }) => {
      const of = subjectOf(input);
      const suggestions = await find(call, scopeFor(call, input.tenantId), input, of);
      return { body: { data: choose(suggestions, input, of) } };
    },
  });
}

function scopeFor({ scope }: Call, tenantId: number | undefined): Scope {
  if (tenantId === undefined) return scope;
  if (!scope.all && !scope.tenantIds.includes(tenantId))
    throw new Problem('not-found', 'There is no such tenant.');
  return { ...scope, all: false, tenantIds: [tenantId], organisationIds: [] };
}

/** Each belongs to one subject; with any other it would be ignored, which hides a mistake. */
const owners = { field: 'value', contractId: 'signature', address: 'label', chainUid: 'label' } as const;
type Owned = keyof typeof owners;

function subjectOf(input: Query): Subject {
  const given = keysOf(owners).filter((name) => input[name] !== undefined);
  const of = input.of ?? (given[0] ? owners[given[0]] : 'field');
  const stray = given.find((name) => owners[name] !== of);
  if (stray)
    throw invalid(
      `/query/${stray}`,
      'not-allowed',
      `belongs to \`of=${owners[stray]}\` and not to \`of=${of}\`.`,
    );
  return of;
}

function needed<N extends Owned>(input: Query, of: Subject, name: N): NonNullable<Query[N]> {
  const value = input[name];
  if (value === undefined) throw invalid(`/query/${name}`, 'required', `is required where \`of\` is ${of}.`);
  return value;
}

const descriptions = new Map(
  Object.entries(wholeAlert.members).map(([name, schema]) => [
    name,
    'description' in schema ? String(schema.description) : null,
  ]),
);

function describeField(field: Suggestion): Suggestion {
  return { ...field, label: descriptions.get(field.value.replace(/\.keyword$/, '')) ?? null };
}

/** Suggestions that begin with the text come first; otherwise the order stays. */
function choose(
  suggestions: readonly Suggestion[],
  { text = '', size = 20 }: Query,
  of: Subject,
): Suggestion[] {
  const needle = text.trim().toLowerCase();
  const ranked = suggestions.map((suggestion) => {
    const { value, label } = suggestion;
    // The label of a field is a sentence about it.
    const names = of === 'field' ? [value] : [value, label ?? ''];
    const offsets = names.map((name) => name.toLowerCase().indexOf(needle)).filter((index) => index >= 0);
    return { suggestion, rank: offsets.length === 0 ? undefined : Math.min(...offsets, 1) };
  });
  return ranked
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .slice(0, size)
    .map(({ suggestion }) => suggestion);
}
