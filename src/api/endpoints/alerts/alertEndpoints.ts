import { Problem } from '../../../model/errors.ts';
import { Id, nullable, OneOf, Shape, Text, Words } from '../../../model/schema.ts';
import { acknowledgeAlert } from '../../../services/alerts/acknowledge.ts';
import { changeAlert } from '../../../services/alerts/changeAlert.ts';
import { findAlert } from '../../../store/alerts/alertRecords.ts';
import type { Row } from '../../../store/records/records.ts';
import { visibleScope } from '../../../store/search/documents/documentScopes.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { checkIfMatch, etagOf } from '../../http/etag.ts';
import { documentUpdate } from '../records/documentUpdate.ts';
import { acknowledgeEndpoints } from './acknowledgeEndpoints.ts';
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
    assigneeId: nullable(Id('The user of the tenant who works on it; null for no one.')),
  },
  ['finality'],
);

const update = endpoint({
  method: 'PUT',
  path: '/alert/{uid}',
  tag,
  summary: 'Resolve, tag or assign an alert',
  description: 'Members set by Vigil may be sent back as they were read.',
  params,
  body: change.body,
  reply: wholeAlert.schema,
  effect: 'change',
  problems: ['not-found', 'illegal-transition', 'precondition-failed', 'unprocessable'],
  handle: async (call, { params, body, headers }) => {
    const { status, tags, assigneeId } = body;
    const requested = { status, tags, assigneeId };
    const alert = await changeAlert(call, params.uid, requested, wholeAlert.names, (current) => {
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

const acknowledge = acknowledgeEndpoints({
  path: '/alert/{uid}/acknowledge',
  tag,
  what: 'alert',
  description: 'Searches find it by `acknowledged:true`.',
  reply: wholeAlert.schema,
  acknowledge: (call, uid, input) => acknowledgeAlert(call, uid, wholeAlert.names, input),
});

export const alertEndpoints: Endpoint[] = [read, update, ...acknowledge];
