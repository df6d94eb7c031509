import type { RouteGroup } from '../../store/destinations/routeGroups.ts';
import type { CompiledRoute } from '../rules/compileRoutes.ts';

type Timing = Pick<CompiledRoute, 'groupBy' | 'waitSeconds' | 'intervalSeconds'>;
type Sent = Pick<RouteGroup, 'sentAt' | 'numericSeverity'>;

const dayMs = 86_400_000;
/** Between messages of a group that is no incident, where the route names no interval. */
const defaultIntervalSeconds = 300;

/**
 * Time at which an alert is sent with its group. The first waits for others; later ones follow the last message, or come at once if
 * worse. A group that was silent for a day begins again.
 */
export function planMessage(
  { groupBy, waitSeconds, intervalSeconds }: Timing,
  { sentAt, numericSeverity }: Sent,
  severity: number,
  now: number,
): { dueAt: number; isNew: boolean } {
  const wait = waitSeconds * 1000;
  const fallback = groupBy === 'INCIDENT' ? 0 : defaultIntervalSeconds;
  const interval = (intervalSeconds ?? fallback) * 1000;
  // A time further ahead than any message waits comes of a clock that went back since.
  const isOff = sentAt > now + Math.max(wait, interval);
  if (groupBy === 'NONE' || sentAt === 0 || isOff || now - sentAt > dayMs)
    return { dueAt: now + wait, isNew: true };
  if (sentAt > now) return { dueAt: sentAt, isNew: false };
  if (severity > numericSeverity) return { dueAt: now, isNew: false };
  return { dueAt: Math.max(now, sentAt + interval), isNew: false };
}
