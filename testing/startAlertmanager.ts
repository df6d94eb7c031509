import { type Platform, type PlatformAnswer, type PlatformRequest, startPlatform } from './startPlatform.ts';
import type { Json } from './startTestApi.ts';

export type Alertmanager = Platform & {
  /** Alerts by their labels, as the API would list them. */
  alerts: Map<string, Json>;
};

/** A stand-in for the API v2 of the Prometheus Alertmanager: it checks alerts by its OpenAPI document and keeps them by label. */
export async function startAlertmanager(authorization?: string): Promise<Alertmanager> {
  const alerts = new Map<string, Json>();
  const judge = ({ method, path, headers, body }: PlatformRequest): PlatformAnswer => {
    if (authorization !== undefined && headers.authorization !== authorization)
      return { status: 401, body: `wrong: ${headers.authorization}` };
    if (method !== 'POST' || path !== '/api/v2/alerts') return { status: 404 };
    if (!Array.isArray(body)) return { status: 400, body: '"postable alerts must be an array"' };
    const fault = body.map(faultOf).find((found) => found !== undefined);
    if (fault) return { status: 400, body: JSON.stringify(fault) };
    for (const alert of body) alerts.set(keyOf(alert), alert);
    return { status: 200 };
  };
  return { ...(await startPlatform(judge)), alerts };
}

/** Labels are the identity of an alert, in whatever order they come. */
function keyOf({ labels }: Json): string {
  return JSON.stringify(
    Object.keys(labels)
      .toSorted()
      .map((name) => [name, labels[name]]),
  );
}

function faultOf({
  labels,
  annotations = {},
  startsAt,
  endsAt,
  generatorURL = '',
}: Json): string | undefined {
  if (typeof labels !== 'object' || Object.keys(labels).length === 0)
    return 'at least one label pair required';
  for (const [name, value] of [...Object.entries(labels), ...Object.entries(annotations)])
    if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) || typeof value !== 'string' || value === '')
      return `invalid label set: ${name}`;
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)];
  if (Number.isNaN(start) || Number.isNaN(end)) return 'startsAt and endsAt must be date-times';
  if (start > end) return 'start time must be before end time';
  return generatorURL === '' || URL.canParse(generatorURL) ? undefined : 'generatorURL must be a uri';
}
