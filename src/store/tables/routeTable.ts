import { type Static, Type } from 'typebox';
import { severities, statuses } from '../../model/enumerations.ts';
import { Count, Flag, Id, Name, OneOf, Text } from '../../model/schema.ts';
import { idField, tenantId, timeFields } from './commonFields.ts';
import { createOnly, editable } from './fields.ts';
import { byTenant, defineTable } from './table.ts';

/** Members that the alerts of one message share. */
export const routeGroups = ['INCIDENT', 'CONTRACT', 'KIND', 'NONE'] as const;

const seconds = (description: string, example: number, minimum: number, maximum: number) =>
  Type.Integer({ description: `${description} In seconds.`, minimum, maximum, examples: [example] });
const daySeconds = 86_400;

const destinationIds = Type.Array(Id('A destination.'), {
  description:
    'The destinations that get its alerts. Where none of them can be reached, or there is none, those of ' +
    'its parent get them.',
  maxItems: 50,
  uniqueItems: true,
  examples: [[]],
});

export const routeTable = defineTable({
  kind: 'route',
  name: 'route',
  fields: {
    id: idField,
    ...timeFields,
    tenantId: createOnly(tenantId, { notNull: true }),
    status: editable(
      OneOf(
        statuses,
        'A DISABLED route takes nothing, nor do those below it. Routes are on while the root is ACTIVE; a ' +
          'root is made DISABLED ' +
          'unless it says otherwise, and other routes ACTIVE.',
        'ACTIVE',
      ),
      { notNull: true },
    ),
    parentId: editable(Id('The route above it; null for the root, of which a tenant has one.')),
    order: editable(
      Count('Its turn among the routes of its parent: the lowest first. Last if left out.', 10, 1_000_000),
      { notNull: true, as: (t) => `${t}.position` },
    ),
    name: editable(Name('What people call it.', 'Treasury at night'), { required: true }),
    description: editable(Text('Its purpose.', 'The person on call wakes up.')),
    query: editable(
      Text(
        'The alerts that it takes: a query string as in the search of alerts; all if null. The root takes ' +
          'what no other route does.',
        'tags:treasury AND severity:(HIGH OR CRITICAL)',
        { max: 10_000, pattern: '\\S' },
      ),
    ),
    continue: editable(
      Flag('Whether an alert that it took is offered to the next routes of its parent too.'),
      {
        default: false,
        as: (t) => `${t}.goes_on`,
      },
    ),
    groupBy: editable(
      OneOf(
        routeGroups,
        'What alerts have in common that come together and are repeated as one: their incident, contract, ' +
          'or kind of detector or ' +
          'trigger. NONE: each comes alone.',
        'INCIDENT',
      ),
      { default: 'INCIDENT' },
    ),
    waitSeconds: editable(
      seconds('How long the first alert of a group waits for others that come with it.', 10, 0, 3600),
      { default: 0 },
    ),
    intervalSeconds: editable(
      seconds(
        'How long further alerts of a group wait after its last message, unless they are worse than all ' +
          'before. If null, those ' +
          'that people read come after 5 minutes, or 1 where they are HIGH or CRITICAL, and others at once.',
        300,
        0,
        daySeconds,
      ),
    ),
    repeatSeconds: editable(
      seconds(
        'How often a group is notified again until its alerts are acknowledged, resolved or retracted; ' +
          'never if null.',
        900,
        30,
        7 * daySeconds,
      ),
    ),
    activeTimeSetId: editable(
      Id(
        'The time set within which alone it takes alerts; outside of it they go on to the next route. ' +
          'Always if null.',
      ),
    ),
    muteTimeSetId: editable(
      Id(
        'The time set within which it notifies of no alert that it takes, except CRITICAL ones. Never if null.',
      ),
    ),
    minSeverity: editable(
      OneOf(severities, 'It notifies of alerts that are at least this bad; of all if null.', 'MEDIUM'),
    ),
    escalationChainId: editable(
      Id(
        'The escalation chain that it runs for the incident of an alert of which it notifies. With one, a route ' +
          'without destinations leaves none to those of its parent. None if null.',
      ),
    ),
    destinationIds: editable(Type.Unsafe<Static<typeof destinationIds>>(destinationIds), { default: [] }),
  },
  hidden: { position: 'integer', goesOn: 'boolean', cost: 'integer' },
  visible: byTenant,
  writable: byTenant,
  unique: {
    route_root: {
      member: 'parentId',
      message: 'The tenant has a root already: name a route above this one.',
    },
  },
});
