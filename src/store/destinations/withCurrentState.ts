import { uidTime } from '../../lib/uid.ts';
import type { Message } from '../../model/notification.ts';
import type { Db } from '../db/db.ts';
import { findIncidentStates } from '../search/documents/findIncidentStates.ts';
import { findAlertDocuments } from './findAlertDocuments.ts';

type About = Pick<Message, 'data' | 'type'> & { tenantId: number };

/**
 * The same messages with the state of the moment of their alerts. `of` says what counts: the incident of an alert, or the
 * alert itself. Messages about other things stay as they are.
 */
export async function withCurrentState<M extends About>(
  db: Db,
  messages: readonly M[],
  of: 'incident' | 'alert',
): Promise<(M & Pick<Message, 'state'>)[]> {
  const states = await findStates(db, messages.filter(isAboutAlert), of);
  return messages.map((message) => {
    const state = isAboutAlert(message) ? states.get(keyOf(message, of)) : undefined;
    return state ? { ...message, state } : message;
  });
}

type State = NonNullable<Message['state']>;

async function findStates(
  db: Db,
  messages: readonly About[],
  of: 'incident' | 'alert',
): Promise<Map<string, State>> {
  const hasIncident = (message: About) => of === 'incident' && incidentOf(message) !== undefined;
  const incidents = messages.filter(hasIncident);
  const alerts = messages.filter((message) => !hasIncident(message));
  const states = await findIncidentStates(
    db,
    incidents.map((message) => ({ tenantId: message.tenantId, uid: incidentOf(message) ?? '' })),
  );
  const keys = alerts.flatMap(({ tenantId, data }) => {
    const timestamp = uidTime(String(data.uid));
    return timestamp === undefined ? [] : [{ tenantId, timestamp, uid: String(data.uid) }];
  });
  const documents = keys.length > 0 ? await findAlertDocuments(db, keys) : [];
  return new Map([
    ...[...states].map(
      ([uid, { isOpen, isAcknowledged = false }]) => [uid, { isOpen, isAcknowledged }] as const,
    ),
    ...documents.map(({ uid, status, acknowledged }) => {
      const isOpen = status !== 'RESOLVED' && status !== 'RETRACTED';
      return [uid, { isOpen, isAcknowledged: acknowledged === true }] as const;
    }),
  ]);
}

function isAboutAlert({ type }: Pick<Message, 'type'>): boolean {
  return type.startsWith('alert.');
}

function incidentOf({ data }: About): string | undefined {
  return typeof data.incidentUid === 'string' ? data.incidentUid : undefined;
}

function keyOf(message: About, of: 'incident' | 'alert'): string {
  return (of === 'incident' ? incidentOf(message) : undefined) ?? String(message.data.uid);
}
