import { Type } from 'typebox';
import { Problem } from '../../../model/errors.ts';
import { Count, Flag, OneOf, Shape, Text, Words } from '../../../model/schema.ts';
import { changeAlert, resolveByQuery } from '../../../services/alerts/changeAlert.ts';
import { findAlert } from '../../../store/alerts/alertRecords.ts';
import { visibleScope } from '../../../store/documents/documentScopes.ts';
import type { Row } from '../../../store/records/records.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { checkIfMatch, etagOf } from '../../http/etag.ts';
import { documentUpdate } from '../records/documentUpdate.ts';
import { checkTimeseries, queryText, timeseries } from '../records/familyQ.ts';
import { wholeAlert } from './alertSchemas.ts';

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
  hasEtag: true,
  effect: 'read',
  problems: ['not-found'],
  handle: async (call, { params }) => {
    const alert = await findAlert(
      call.db,
      await visibleScope(call.db, call.scope),
      params.uid,
      wholeAlert.names,
    );
    if (!alert) throw new Problem('not-found', 'There is no such alert.');
    return { body: alert, headers: { etag: alertEtag(alert) } };
  },
});

const change = documentUpdate(
  wholeAlert.members,
  {
    status: OneOf(['UNRESOLVED', 'RESOLVED'], 'Whether someone has dealt with it.', 'RESOLVED'),
    tags: Words('Free labels.', ['reviewed']),
  },
  ['finality'],
);

const update = endpoint({
  method: 'PUT',
  path: '/alert/{uid}',
  tag,
  summary: 'Resolve or tag an alert',
  description: 'Members set by Vigil may be sent back as they were read.',
  params,
  body: change.body,
  reply: wholeAlert.schema,
  effect: 'change',
  problems: ['not-found', 'illegal-transition', 'precondition-failed'],
  handle: async (call, { params, body, headers }) => {
    const { status, tags } = body;
    const alert = await changeAlert(call, params.uid, { status, tags }, wholeAlert.names, (current) => {
      checkIfMatch(
        headers.ifMatch,
        'alert',
        (etag) => withoutFinality(etag) === withoutFinality(alertEtag(current)),
      );
      change.check(body, current);
    });
    return { body: alert, headers: { etag: alertEtag(alert) } };
  },
});

/** Finality changes by itself with new blocks: that is news for a reader, but no reason to refuse a change. */
function alertEtag({ finality, ...alert }: Row): string {
  return etagOf(JSON.stringify(alert)).replace(/"$/, `.${String(finality)}"`);
}

function withoutFinality(etag: string): string {
  return etag.replace(/\.[A-Z]+"$/, '"');
}

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
