import type { Severity } from '../../model/alert.ts';
import type { Message } from '../../model/notification.ts';
import { isClosed } from '../messageState.ts';
import { lineAt, memberAt, severityIn } from '../texts/readData.ts';
import { toStory } from '../texts/toStory.ts';

const severityIds: Readonly<Record<Severity, number>> = { INFO: 1, LOW: 2, MEDIUM: 3, HIGH: 4, CRITICAL: 5 };
const unknownSeverity = 0;
/** The version of the schema that the events follow. */
const version = '1.3.0';
const detectionFinding = 2004;
const findings = 2;

/**
 * A message as an event of the Open Cybersecurity Schema Framework: an alert is a Detection Finding, the rest base events.
 * `data`, as a webhook carries it, is unmapped.
 */
export function toOcsf(message: Message, data: unknown) {
  const { type, uid, timestamp, sequence } = message;
  const story = toStory(message);
  const severity = severityIn(message.data);
  const common = {
    time: timestamp,
    severity_id: severity ? severityIds[severity] : unknownSeverity,
    message: story.title,
    metadata: {
      version,
      product: { name: 'Vigil', vendor_name: 'Vigil' },
      uid,
      sequence,
      event_code: type,
    },
    unmapped: data,
  };
  if (!type.startsWith('alert.') && !type.startsWith('action.'))
    return { category_uid: 0, class_uid: 0, activity_id: 99, type_uid: 99, ...common };
  const activity = activityOf(message);
  return {
    category_uid: findings,
    class_uid: detectionFinding,
    activity_id: activity,
    type_uid: detectionFinding * 100 + activity,
    ...common,
    status_id: isClosed(message) ? 4 : 1,
    finding_info: findingInfo(message, story),
    resources: resourcesOf(message.data),
  };
}

/** Create, update or close. */
function activityOf(message: Message): number {
  if (isClosed(message)) return 3;
  return message.type.endsWith('.raised') || message.type.startsWith('action.') ? 1 : 2;
}

function findingInfo({ data, timestamp }: Message, { lead, links }: ReturnType<typeof toStory>) {
  const created = memberAt(data, 'timestamp');
  const [link] = links;
  return {
    uid: lineAt(data, 'uid'),
    title: lineAt(data, 'name') || 'Alert',
    desc: lead,
    created_time: typeof created === 'number' ? created : timestamp,
    ...(lineAt(data, 'incidentUid') ? { related_events: [{ uid: lineAt(data, 'incidentUid') }] } : {}),
    ...(link ? { src_url: link.url } : {}),
  };
}

function resourcesOf(data: Record<string, unknown>) {
  const address = lineAt(data, 'contract', 'address');
  if (!address) return [];
  return [
    {
      uid: address,
      name: lineAt(data, 'contract', 'name'),
      type: 'Smart contract',
      namespace: lineAt(data, 'contract', 'chainUid'),
    },
  ];
}
