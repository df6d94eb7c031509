import type { Alert } from '../../../../sdk/src/index.ts';
import { client } from '../../state/api.ts';
import { href } from '../../state/route.ts';
import { can, mayChooseTenant, me } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

/** The incident of an alert in one sentence: what was lost, by whom, and whether it goes on; and the way to its page. */
export function IncidentLine({ alert: { incidentUid, tenantId, status } }: { alert: Alert }) {
  const isOwn = mayChooseTenant.value || tenantId === me.value?.tenantId;
  const isShown = incidentUid !== null && isOwn && can('GET /incident/{uid}/story');
  const { data } = useLoad(
    isShown ? `${incidentUid} ${status}` : null,
    (signal) => client.get('/incident/{uid}/story', { path: { uid: incidentUid ?? '' }, signal }),
    { every: 10_000 },
  );
  if (!isShown || !data) return null;
  const { state } = data.progress;
  const tone = state === 'ONGOING' ? 'bad' : state === 'PENDING' || state === 'QUIET' ? 'warn' : '';
  return (
    <p class={`notice incident-line ${tone}`}>
      <strong class="foreign">{data.headline.slice(0, 1000)}</strong>{' '}
      <a href={href(`/incidents/${incidentUid}`)}>Open the incident</a>
    </p>
  );
}
