import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { PageProps } from '../../pageProps.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { client, VigilError } from '../../state/api.ts';
import { showCount, showDuration } from '../../state/format.ts';
import { chainOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useAfterPaint } from '../../state/useAfterPaint.ts';
import { useLoad } from '../../state/useLoad.ts';
import { AcknowledgeIncident } from '../alerts/Acknowledge.tsx';
import { Affected } from './Affected.tsx';
import './incidents.css';
import { Escalations } from './Escalations.tsx';
import { Judgement } from './Judgement.tsx';
import { MoneyFlow } from './MoneyFlow.tsx';
import { Respond } from './Respond.tsx';
import { Situation } from './Situation.tsx';
import { type Parties, partiesOf, type Story } from './story.ts';
import { Timeline } from './Timeline.tsx';

/** The room of one incident: what was lost, by whom and whether it goes on, then the money, then everything that happened. */
export default function IncidentPage({ params }: PageProps) {
  const uid = params.uid ?? '';
  const last = useRef<{ text: string; story: Story }>(undefined);
  const { data, error, isLoading, reload } = useLoad(
    uid,
    async (signal) => {
      const next = await client.get('/incident/{uid}/story', { path: { uid }, signal });
      const text = JSON.stringify(next);
      // Most readings bring nothing new, and a large story takes long to draw.
      if (last.current?.text !== text) last.current = { text, story: next };
      return last.current.story;
    },
    { every: 5000 },
  );
  const story = data?.uid === uid ? data : undefined;
  const parties = useMemo(() => (story ? partiesOf(story) : new Map()), [story]);
  const isHeadPainted = useAfterPaint(story !== undefined);
  /** Drawn again only when the story is another one. */
  const drawn = useMemo(
    () => (story && isHeadPainted ? drawStory(story, parties) : undefined),
    [story, parties, isHeadPainted],
  );
  useEffect(() => {
    if (story) document.title = `${story.incident.severity}: ${story.incident.name.slice(0, 200)} – Vigil`;
  }, [story?.uid, story?.incident.severity]);
  if (error instanceof VigilError && error.status === 404)
    return (
      <div class="page">
        <Empty
          title="There is no such incident, or you may not see it."
          action={<a href={href('/incidents')}>All incidents</a>}
        />
      </div>
    );
  return (
    <div class="page room">
      <Problem error={error} retry={reload} />
      {!story && isLoading && <Loading />}
      {story && (
        <>
          <Head story={story} />
          <Situation story={story} parties={parties} />
          <Buttons story={story} reload={reload} />
          {drawn?.flow}
          <div class="room-columns">
            {drawn?.timeline}
            <div class="stack">
              {drawn?.affected}
              <Escalations incident={story.incident} />
              <section class="card stack unprinted" aria-labelledby="judgement">
                <header>
                  <h2 id="judgement">Owner and judgement</h2>
                </header>
                <Judgement key={uid} incident={story.incident} reload={reload} />
              </section>
            </div>
          </div>
        </>
      )}
    </div>
  );
}

function drawStory(story: Story, parties: Parties) {
  return {
    flow: <MoneyFlow story={story} parties={parties} />,
    timeline: <Timeline story={story} parties={parties} />,
    affected: <Affected story={story} />,
  };
}

function Head({ story: { headline, incident } }: { story: Story }) {
  const { severity, status, firstAt, lastAt, chainUid, alerts } = incident;
  return (
    <header class="room-head">
      <p class="row tight small">
        <Severity value={severity} />
        <Badge value={status} />
        <span class="dim">
          {chainUid && `${chainOf(chainUid)?.name ?? chainUid} · `}
          <Time at={firstAt} />
          {lastAt > firstAt && `, for ${showDuration(lastAt - firstAt)}`}
          {` · ${alerts === 1 ? '1 alert' : `${showCount(alerts)} alerts`}`}
        </span>
      </p>
      <h1 class="foreign headline">{headline.slice(0, 1000)}</h1>
    </header>
  );
}

function Buttons({ story, reload }: { story: Story; reload(): void }) {
  const { uid, status, openAlerts } = story.incident;
  const change = async (to: 'RESOLVED' | 'UNRESOLVED', said: string) => {
    const body = { status: to };
    if (await attempt(() => client.put('/incident/{uid}', { path: { uid }, body }), said)) reload();
  };
  const mayChange = can('PUT /incident/{uid}') && status !== 'RETRACTED';
  return (
    <div class="room-buttons unprinted">
      <AcknowledgeIncident incident={story.incident} reload={reload} />
      {mayChange && status === 'UNRESOLVED' && (
        <button
          type="button"
          class="primary"
          title={`${openAlerts === 1 ? 'Its open alert changes' : `Its ${showCount(openAlerts)} open alerts change`} with it; everyone who was notified gets one message.`}
          onClick={() => change('RESOLVED', 'Resolved the incident and all its alerts.')}
        >
          <Icon name="check" />
          Resolve the incident
        </button>
      )}
      {mayChange && status === 'RESOLVED' && (
        <button type="button" onClick={() => change('UNRESOLVED', 'The incident is open again.')}>
          Open it again
        </button>
      )}
      <Respond story={story} reload={reload} />
    </div>
  );
}
