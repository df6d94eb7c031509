import { randomUUID } from 'node:crypto';
import { fillTemplate } from '../../lib/template.ts';
import { uidTime } from '../../lib/uid.ts';
import { namedFields } from '../../matching/namedFields.ts';
import { templateValues } from '../../matching/templateValues.ts';
import { templateMembers } from '../../model/alert.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import {
  type Message,
  type Rendered,
  raisedType,
  type SendOutcome,
  type Target,
} from '../../model/notification.ts';
import { logSent, reserveSequence } from '../../store/destinations/deliveryLog.ts';
import { enableDestination } from '../../store/destinations/destinationHealth.ts';
import { findAlertDocuments } from '../../store/destinations/findAlertDocuments.ts';
import { findTargets, openTarget } from '../../store/destinations/targets.ts';
import { destinationTable } from '../../store/tables/destinationTable.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { findReadable } from '../records/findReadable.ts';
import { templateFaults } from '../records/templateFaults.ts';

const timeLimitMs = 20_000;

/** Sends a `ping` at once. A success enables a disabled destination again. */
export async function testDestination(
  call: Call,
  id: number,
): Promise<{ uid: string; outcome: SendOutcome; durationMs: number }> {
  const destination = await findReadable(call, destinationTable, id);
  const { store, notifier } = call.services;
  const message = ping(call, await reserveSequence(store));
  const startedAt = performance.now();
  const outcome = await notifier.send(await targetOf(call, id), [message], AbortSignal.timeout(timeLimitMs));
  const durationMs = Math.round(performance.now() - startedAt);
  await store.transaction(async (tx) => {
    await logSent(tx, destination, message, outcome, durationMs);
    if (outcome.ok) await enableDestination(tx, destination, call.now);
    const result = outcome.ok ? 'delivered' : 'failed';
    await audit({ ...call, db: tx }, 'destination', 'test', destination, undefined, undefined, { result });
  });
  return { uid: message.uid, outcome, durationMs };
}

/** Renders the message for an alert, or for a `ping` without one; a template replaces the alert's message. */
export async function previewDestination(
  call: Call,
  id: number,
  { alertUid, template }: { alertUid?: string; template?: string },
): Promise<Rendered> {
  await findReadable(call, destinationTable, id);
  const target = await targetOf(call, id);
  const original = alertUid === undefined ? ping(call, 0) : await alertMessage(call, target, alertUid);
  const message = template === undefined ? original : withTemplate(original, template);
  const rendered = call.services.notifier.render(target, [message]);
  if (!rendered)
    throw unprocessable(
      '',
      'not-set-up',
      `This server is not set up to send to destinations of type ${target.type}.`,
    );
  return rendered;
}

async function targetOf(call: Call, id: number): Promise<Target> {
  const [sealed] = await findTargets(call.services.store, [id]);
  if (!sealed) throw new Error(`The destination ${id} does not exist.`);
  return openTarget(call.services.keyring, sealed, call.now);
}

function ping(call: Call, sequence: number): Message {
  const data = { message: 'This is a test message of Vigil.' };
  return { uid: randomUUID(), sequence, type: 'ping', timestamp: call.now, data };
}

/** Members of the finding first, then those of the alert, as in a detector's `desc` and a trigger alert's `message`. */
function withTemplate(message: Message, template: string): Message {
  const { meta, ...members } = message.data;
  const found: Record<string, unknown> = { ...Object(meta) };
  const names = [...Object.keys(found), ...templateMembers.filter((name) => Object.hasOwn(members, name))];
  const [fault] = templateFaults(template, names, '/template');
  if (fault) throw unprocessable(fault.pointer, fault.code, fault.message);
  const values = templateValues(namedFields(template, found), undefined);
  const filled = fillTemplate(template, { ...members, ...values });
  return { ...message, data: { ...message.data, message: filled } };
}

/** The alert must belong to the destination's tenant. */
async function alertMessage(call: Call, { tenantId }: Target, uid: string): Promise<Message> {
  const timestamp = uidTime(uid);
  const found =
    timestamp === undefined ? [] : await findAlertDocuments(call.db, [{ tenantId, timestamp, uid }]);
  const [alert] = found;
  if (!alert) throw new Problem('not-found', 'There is no such alert.');
  const data = { ...alert, links: call.services.alertLinks(alert) };
  return { uid: randomUUID(), sequence: 0, type: raisedType(alert), timestamp: call.now, data };
}
