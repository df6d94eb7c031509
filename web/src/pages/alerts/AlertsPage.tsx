import { useMemo, useState } from 'preact/hooks';
import { Chart } from '../../parts/Chart.tsx';
import { DataTable } from '../../parts/DataTable.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { ExportMenu } from '../../parts/ExportMenu.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { QueryBar } from '../../parts/QueryBar.tsx';
import { TimeRangePicker } from '../../parts/TimeRangePicker.tsx';
import { withinTenant } from '../../state/alertQuery.ts';
import { client, VigilError } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { href, search, setSearch } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { isNarrow } from '../../state/theme.ts';
import { isRelative, resolveRange } from '../../state/timeRange.ts';
import { useLoad } from '../../state/useLoad.ts';
import { useSilenced } from '../../state/useSilenced.ts';
import { AlertDrawer } from './AlertDrawer.tsx';
import { alertColumns } from './alertColumns.tsx';
import { BulkBar } from './BulkBar.tsx';
import { Facets } from './Facets.tsx';
import { findQueryHints } from './queryHints.ts';
import { suggestQuery } from './suggestQuery.ts';
import { useAlertFigures } from './useAlertFigures.ts';
import { countedTo, useAlertPages } from './useAlertPages.ts';
import { useTail } from './useTail.ts';
import { Views } from './Views.tsx';

export default function AlertsPage() {
  const query = search.value.get('q') ?? '';
  const range = search.value.get('range') ?? '24h';
  const isLive = search.value.get('live') === '1';
  const openUid = search.value.get('alert') ?? undefined;
  const columnText = search.value.get('columns') ?? '';
  const columns = useMemo(() => columnText.split(',').filter(Boolean), [columnText]);
  const [asOf, setAsOf] = useState(Date.now());
  const [selected, setSelected] = useState<ReadonlySet<string | number>>(new Set());
  const [areFacetsOpen, setFacetsOpen] = useState(false);
  const period = resolveRange(range, asOf);
  const sent = { query: withinTenant(query), ...period };
  const pages = useAlertPages(sent);
  const shownColumns = useMemo(() => alertColumns(columns, pages.matched), [columns, pages.matched]);
  const figures = useAlertFigures(sent);
  const tail = useTail(sent.query, isLive);
  const known = new Set(tail.rows.map(({ uid }) => uid));
  const rows =
    tail.rows.length === 0 ? pages.rows : [...tail.rows, ...pages.rows.filter(({ uid }) => !known.has(uid))];
  useSilenced(rows.map(({ uid }) => uid));
  const fault =
    pages.error instanceof VigilError && queryFaults.includes(pages.error.code) ? pages.error : undefined;

  // What an administrator's tenant adds stands in no text of a fault: the server reads again what was typed.
  const alone = useLoad(fault && sent.query !== query ? `alone ${query}` : null, (signal) =>
    client.post('/alert/search', { body: { query, size: 1, trackTotalCount: 0 }, signal }),
  );
  const typed = alone.error instanceof VigilError ? alone.error : fault;

  const refresh = () => setAsOf(Date.now());
  const run = (next: string) => {
    setSelected(new Set());
    setAsOf(Date.now());
    setSearch({ q: next }, { replace: false });
  };
  const setRange = (next: string) => {
    setAsOf(Date.now());
    setSearch({ range: next }, { replace: false });
  };
  return (
    <div class="alerts-page">
      <div class="alerts-bar">
        <h1 class="hide-visually">Alerts</h1>
        <QueryBar
          value={query}
          onRun={run}
          suggest={suggestQuery}
          onLeave={() =>
            document.querySelector<HTMLElement>('.alerts-table [role=row][tabindex="0"]')?.focus()
          }
          placeholder="Find alerts, such as severity:HIGH AND message:transfer"
          fault={fault && typed && { message: typed.message, position: typed.problem?.position }}
        />
        {!fault && <Hints query={query} onQuery={run} />}
        <div class="row">
          <TimeRangePicker value={range} onChange={setRange} />
          <button
            type="button"
            aria-pressed={isLive}
            onClick={() => setSearch({ live: isLive ? undefined : '1' })}
          >
            <Icon name="live" />
            {isLive && tail.state === 'reconnecting' ? 'Reconnecting' : 'Live'}
          </button>
          <button type="button" onClick={refresh}>
            Refresh
          </button>
          {isNarrow.value && (
            <button type="button" aria-pressed={areFacetsOpen} onClick={() => setFacetsOpen(!areFacetsOpen)}>
              Filter
            </button>
          )}
          <span class="grow" />
          <Views
            viewed={{ query, range, columns }}
            onOpen={(next) => {
              setAsOf(Date.now());
              const view = next.id === undefined ? undefined : String(next.id);
              setSearch(
                { q: next.query, range: next.range, columns: next.columns.join(), view },
                { replace: false },
              );
            }}
          />
          <ExportMenu path="/alert" body={{ query: sent.query, timeseries: [period] }} columns={columns} />
        </div>
        {figures.data && (
          <Chart
            label="Alerts over time by severity"
            times={figures.data.times}
            series={figures.data.series}
            step={figures.data.step}
            range={period}
            height={isNarrow.value ? 90 : 112}
            onRange={(from, to) => setRange(`${from}-${to}`)}
          />
        )}
      </div>
      <div class="alerts-main">
        {(!isNarrow.value || areFacetsOpen) && (
          <aside aria-label="Filters">
            <Facets query={query} facets={figures.data?.facets} onQuery={run} />
          </aside>
        )}
        <section class={`card flush alerts-table${fault ? ' stale' : ''}`} aria-label="Alerts found">
          <div class="row apart table-bar">
            <span role="status">
              {fault
                ? 'The query cannot be read; these are of the one before.'
                : pages.isLoading && pages.rows.length === 0
                  ? 'Searching …'
                  : `${countText(pages.total)} found`}
              {isLive && tail.rows.length > 0 && <span class="dim">, {showCount(tail.rows.length)} new</span>}
            </span>
            <BulkBar
              isOff={fault !== undefined}
              rows={rows}
              selected={selected}
              total={pages.total}
              search={sent}
              onDone={() => {
                setSelected(new Set());
                refresh();
              }}
            />
          </div>
          {!fault && <Problem error={pages.error ?? tail.error} retry={refresh} />}
          {rows.length > 0 ? (
            <DataTable
              label="Alerts"
              columns={shownColumns}
              rows={rows}
              rowKey={({ uid }) => uid}
              openKey={openUid}
              onOpen={({ uid }) => setSearch({ alert: uid }, { replace: false })}
              selected={selected}
              {...(can('POST /alert/resolve') && { onSelect: setSelected })}
              total={pages.total + tail.rows.length}
              onMore={pages.more}
              fills
            />
          ) : pages.isLoading ? (
            <div class="pad">
              <Loading lines={8} />
            </div>
          ) : fault ? (
            <Empty title="The query cannot be read">The place where it goes wrong is marked above.</Empty>
          ) : (
            <Nothing hasQuery={query !== ''} range={range} onWiden={() => setRange('30d')} />
          )}
        </section>
      </div>
      {openUid && (
        <AlertDrawer
          key={openUid}
          uid={openUid}
          row={rows.find(({ uid }) => uid === openUid)}
          matched={pages.matched.get(openUid)}
          onChange={(alert) => pages.replace([alert])}
          onClose={() => setSearch({ alert: undefined })}
        />
      )}
    </div>
  );
}

/** Misspelt words of the query, with what was probably meant. */
function Hints({ query, onQuery }: { query: string; onQuery(query: string): void }) {
  const { data = [] } = useLoad(
    query.includes(':') && can('GET /suggest') ? `hints ${query}` : null,
    (signal) => findQueryHints(query, signal),
  );
  return (
    <>
      {data.map(({ text, meant, query: mended }) => (
        <p key={text} class="notice warn row still" role="status">
          <span class="foreign">{text}</span>
          {meant && (
            <button type="button" class="small foreign" onClick={() => onQuery(mended)}>
              Use {meant}
            </button>
          )}
        </p>
      ))}
    </>
  );
}

function countText(total: number): string {
  return total >= countedTo ? `${showCount(countedTo)} or more` : showCount(total);
}

const queryFaults: readonly VigilError['code'][] = ['invalid-query', 'search-too-slow'];

function Nothing({ hasQuery, range, onWiden }: { hasQuery: boolean; range: string; onWiden(): void }) {
  if (hasQuery || range === '30d' || !isRelative(range))
    return (
      <Empty title="No alerts match">Change the query, take away a filter, or choose another time.</Empty>
    );
  return (
    <Empty
      title="No alerts in this time"
      action={
        <span class="row">
          <button type="button" onClick={onWiden}>
            Look at the last 30 days
          </button>
          {can('POST /contract') && (
            <a class="button primary" href={href('/projects?add=1')}>
              Watch a contract
            </a>
          )}
        </span>
      }
    >
      Detectors and triggers of your contracts raise alerts. If you have none yet, paste the address of a
      contract to start.
    </Empty>
  );
}
