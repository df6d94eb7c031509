import { Type } from 'typebox';
import { Flag, Id, List, Millis, Shape } from '../../../model/schema.ts';
import { prepareTimeSet } from '../../../services/destinations/prepareTimeSet.ts';
import { readTimeSet } from '../../../services/destinations/readTimeSet.ts';
import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { timeSetTable } from '../../../store/tables/timeSetTable.ts';
import { defineResource } from '../../http/defineResource.ts';
import { endpoint } from '../../http/endpoint.ts';

const tag = 'Silences';

export const timeSet = defineResource({
  path: '/timeset',
  tag,
  about:
    'Times at which something holds, such as nights or office hours: ranges of times on weekdays, days of the month, months and ' +
    'years, by the clocks of a zone. Silences and routes name one by its id.',
  table: timeSetTable,
  owner: 'tenant',
  limit: 'maxTimeSets',
  prepare: prepareTimeSet,
  beforeDelete: async (call, { id }) => {
    await refuseIfUsed(call, 'silences of a time set', id, 'silences that have not ended use it');
    await refuseIfUsed(call, 'routes of a time set', id, 'routes use it');
  },
});

const change = {
  at: Millis('When.'),
  isWithin: Flag('Whether it holds from then on.'),
};

export const timeSetEndpoint = endpoint({
  method: 'GET',
  path: '/timeset/{id}/state',
  tag,
  summary: 'Read whether a time set holds',
  description: 'Whether it holds at an instant, and its next ten changes.',
  params: Shape({ id: Id('The time set.') }, ['id']),
  query: Type.Unsafe<{ at?: number }>(Shape({ at: Millis('The instant; now if left out.') }, [])),
  reply: Shape(
    {
      at: Millis('The instant.'),
      isWithin: Flag('Whether it holds then.'),
      changes: List(
        Shape(change, Object.keys(change)),
        'Its next changes, at most ten; none where it stays as it is for the next 40 years.',
      ),
    },
    ['at', 'isWithin', 'changes'],
  ),
  effect: 'read',
  problems: ['not-found'],
  handle: async (call, { params, query }) => ({ body: await readTimeSet(call, params.id, query.at) }),
});
