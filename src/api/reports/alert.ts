import { Type } from 'typebox';
import { Problem } from '../../model/errors.ts';
import { changeAlert, resolveByQuery } from '../../services/alerts.ts';
import { findAlert } from '../../store/alerts/alertRecords.ts';
import { ofEverything } from '../../store/documents/documentScopes.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { Count, Flag, OneOf, Shape, Text, Words } from '../schema.ts';
import { wholeAlert } from './alertSchemas.ts';
import { checkTimeseries, queryText, timeseries } from './familyQ.ts';

const tag = 'Alerts';
const params = Shape({ uid: Text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', { max: 100 }) }, [
  'uid',
]);

const read = endpoint({
  method: 'GET',
  path: '/alert/{uid}',
  tag,
  summary: 'Read an alert',
  params,
  reply: wholeAlert.schema,
  effect: 'read',
  problems: ['not-found'],
  handle: async (call, { params }) => {
    const alert = await findAlert(
      call.db,
      await ofEverything(call.db, call.scope),
      params.uid,
      wholeAlert.names,
    );
    if (!alert) throw new Problem('not-found', 'There is no such alert.');
    return { body: alert, etagOf: alert };
  },
});

const update = endpoint({
  method: 'PUT',
  path: '/alert/{uid}',
  tag,
  summary: 'Resolve or tag an alert',
  params,
  body: Type.Unsafe<{ status?: 'UNRESOLVED' | 'RESOLVED'; tags?: string[] }>(
    Shape(
      {
        status: OneOf(['UNRESOLVED', 'RESOLVED'], 'Whether somebody has dealt with it.', 'RESOLVED'),
        tags: Words('Free labels.', ['reviewed']),
      },
      [],
    ),
  ),
  reply: wholeAlert.schema,
  effect: 'change',
  problems: ['not-found', 'illegal-transition'],
  handle: async (call, { params, body }) => {
    const alert = await changeAlert(call, params.uid, body, wholeAlert.names);
    return { body: alert, etagOf: alert };
  },
});

const resolve = endpoint({
  method: 'POST',
  path: '/alert/resolve',
  tag,
  summary: 'Resolve alerts by query',
  description: 'Marks every alert of your tenant that the query finds as resolved, or as open again.',
  body: Type.Unsafe<{ query: string; timeseries?: { from: number; to: number }[]; resolved?: boolean }>(
    Shape({ query: queryText, timeseries, resolved: Flag('False opens them again; true if left out.') }, [
      'query',
    ]),
  ),
  reply: Shape({ count: Count('How many alerts changed.', 3, Number.MAX_SAFE_INTEGER) }, ['count']),
  effect: 'change',
  problems: ['invalid-query'],
  handle: async (call, { body }) => {
    checkTimeseries(body.timeseries);
    return { body: { count: await resolveByQuery(call, body) } };
  },
});

export const alertEndpoints: Endpoint[] = [read, update, resolve];
