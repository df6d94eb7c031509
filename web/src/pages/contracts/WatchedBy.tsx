import { useState } from 'preact/hooks';
import type { Action, Contract, Detector, ReplyOf, Trigger } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { client, searchRecords } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { href, search } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { automaticHint, isAutomatic } from '../detectors/automatic.ts';
import type { Facts } from './Control.tsx';
import { Recommend } from './Recommend.tsx';

/** What watches a contract and what acts on it; each can be switched on and off in place. */
export function WatchedBy({ contract, quality }: { contract: Contract; quality: Facts['detectors'] }) {
  const where = `contractId = ${contract.id}`;
  const isNew = search.value.get('new') !== null;
  const [isOpen, setOpen] = useState(isNew);
  const watching = useLoad(where, async (signal) => {
    const read = async <Row,>(kind: string) =>
      can(`POST /${kind}/search`)
        ? (await searchRecords<Row>(`/${kind}`, { where, size: 200 }, signal)).data
        : [];
    const [detectors, triggers, actions] = await Promise.all([
      read<Detector>('detector'),
      read<Trigger>('trigger'),
      read<Action>('action'),
    ]);
    return { detectors, triggers, actions };
  });
  const raised = useRaised(contract.id);
  const faults = useFaults();
  const precisions = new Map(quality.map((one) => [one.id, one]));
  if (!can('POST /detector/search')) return null;
  const { detectors = [], triggers = [], actions = [] } = watching.data ?? {};
  const rows = [
    ...detectors.map((row) => ({ kind: 'detector' as const, row, what: kindOf(row) })),
    ...triggers.map((row) => ({ kind: 'trigger' as const, row, what: row.triggerType })),
  ];
  const toggle = (kind: 'detector' | 'trigger', id: number, status: string) =>
    void attempt(async () => {
      const body = { status: status === 'ACTIVE' ? ('DISABLED' as const) : ('ACTIVE' as const) };
      if (kind === 'detector') await client.put('/detector/{id}', { path: { id }, body });
      else await client.put('/trigger/{id}', { path: { id }, body });
      watching.reload();
    });
  return (
    <section class="card" aria-labelledby="watched-by">
      <header>
        <h2 id="watched-by">Watched by</h2>
        <span class="row">
          {can('POST /contract/{id}/recommend') && !isOpen && (
            <button type="button" onClick={() => setOpen(true)}>
              <Icon name="plus" />
              Add detectors
            </button>
          )}
          {can('POST /detector') && !isOpen && (
            <a class="button" href={href(`/catalogue?contract=${contract.id}`)}>
              All kinds
            </a>
          )}
          {can('POST /trigger') && !isOpen && (
            <a class="button" href={href(`/triggers?new=trigger&contract=${contract.id}`)}>
              <Icon name="plus" />
              Add trigger
            </a>
          )}
        </span>
      </header>
      <Problem error={watching.error} retry={watching.reload} />
      {!watching.data && watching.isLoading && <Loading />}
      {isOpen && watching.data && can('POST /contract/{id}/recommend') && (
        <Recommend
          contract={contract}
          present={detectors}
          onDone={() => {
            setOpen(false);
            watching.reload();
          }}
        />
      )}
      {watching.data && rows.length === 0 && !isOpen && (
        <Empty title="Nothing watches it yet">Add detectors, so that something is found.</Empty>
      )}
      <ul class="list">
        {rows.map(({ kind, row, what }) => (
          <li key={`${kind} ${row.id}`} class="row apart">
            <span class="row">
              <Icon name="detectors" />
              <a class="foreign" href={href(`/${kind}s?${kind}=${row.id}`)}>
                {row.name}
              </a>
              <span class="dim small foreign">{what}</span>
              <Raised found={raised.get(`${kind} ${row.id}`)} kind={kind} id={row.id} />
              {kind === 'detector' && <Precision one={precisions.get(row.id)} />}
            </span>
            <span class="row tight">
              <Badge value={row.status} />
              {can(`PUT /${kind}/{id}`) && (
                <button type="button" class="small" onClick={() => toggle(kind, row.id, row.status)}>
                  {row.status === 'ACTIVE' ? 'Switch off' : 'Switch on'}
                </button>
              )}
            </span>
            <Fault fault={faults.get(`${kind} ${row.id}`)} />
          </li>
        ))}
        {actions.map(({ id, name, funcSignature }) => (
          <li key={`action ${id}`} class="row">
            <Icon name="actions" />
            <a class="foreign" href={href(`/actions?action=${id}`)}>
              {name}
            </a>
            <span class="dim small mono foreign">{funcSignature}</span>
          </li>
        ))}
      </ul>
      {!isOpen && watching.data && can('POST /contract/{id}/recommend') && (
        <Missing contractId={contract.id} round={detectors.length} onOpen={() => setOpen(true)} />
      )}
    </section>
  );
}

/** Detectors that fit the contract and that it lacks. */
function Missing({ contractId, round, onOpen }: { contractId: number; round: number; onOpen(): void }) {
  const { data } = useLoad(
    `missing ${contractId} ${round}`,
    (signal) => client.post('/contract/{id}/recommend', { path: { id: contractId }, body: {}, signal }),
    { later: true },
  );
  const missing = data?.data.filter(({ detectorId }) => detectorId === null) ?? [];
  if (missing.length === 0) return null;
  return (
    <div class="notice stack tight missing">
      <div class="row apart">
        <strong>Recommended but not enabled</strong>
        <button type="button" class="small" onClick={onOpen}>
          Look at {missing.length === 1 ? 'it' : `all ${missing.length}`}
        </button>
      </div>
      <ul class="stack tight">
        {missing.slice(0, 4).map(({ schemaName, title, reason }) => (
          <li key={schemaName} class="small">
            <span class="foreign">{title}</span> <span class="dim foreign">{reason}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

type FaultRow = ReplyOf<'GET', '/fault'>['data'][number];

/** What fails or stands still, of all that one may see. */
function useFaults(): ReadonlyMap<string, FaultRow> {
  const { data } = useLoad(
    can('GET /fault') ? 'faults of subscribers' : null,
    (signal) => client.get('/fault', { query: { size: 1000 }, signal }),
    { later: true, every: 30_000 },
  );
  return new Map((data?.data ?? []).map((fault) => [`${fault.kind} ${fault.id}`, fault]));
}

function Fault({ fault }: { fault: FaultRow | undefined }) {
  if (!fault) return null;
  return (
    <p class="notice bad small foreign whole-row">
      {fault.reason.slice(0, 300)} <span class="dim">since</span> <Time at={fault.since} />. {fault.advice}
    </p>
  );
}

/** How often people found it right. */
function Precision({ one }: { one: Facts['detectors'][number] | undefined }) {
  if (!one || one.precision === null) return null;
  return (
    <span class="dim small" title="Judged incidents of the last 90 days that were an attack or a real fault">
      {one.right} of {one.judged} right
    </span>
  );
}

type Found = { count: number; latest: number };
type Buckets = { buckets: { key: number; count: number; latest: { max: number | null } }[] };
const days = 30;

/** Alerts of the last days by what raised them, with the time of the newest. */
function useRaised(contractId: number): ReadonlyMap<string, Found> {
  const [now] = useState(Date.now());
  const { data } = useLoad(
    `raised ${contractId}`,
    async (signal) => {
      const latest = { name: 'latest', field: 'timestamp', aggregation: ['max'] };
      const item = (kind: string) => ({
        name: kind,
        field: `${kind}Id`,
        size: 200,
        aggregation: ['terms', latest],
      });
      const body = {
        query: `contractId:${contractId}`,
        timeseries: [{ from: now - days * 86_400_000, to: now + 3_600_000 }],
        trackTotalCount: 0,
        aggregation: [item('detector'), item('trigger')],
      };
      const read = (await client.post('/alert/aggregation', { body, signal })).data as unknown;
      return read as Record<'detector' | 'trigger', Buckets>;
    },
    { later: true },
  );
  if (!data) return new Map();
  return new Map(
    (['detector', 'trigger'] as const).flatMap((kind) =>
      data[kind].buckets.map(({ key, count, latest }): [string, Found] => [
        `${kind} ${key}`,
        { count, latest: latest.max ?? 0 },
      ]),
    ),
  );
}

function Raised({ found, kind, id }: { found: Found | undefined; kind: string; id: number }) {
  if (!found) return null;
  return (
    <a class="small" href={href(`/alerts?range=${days}d&q=${kind}Id:${id}`)}>
      {found.count === 1 ? '1 alert' : `${showCount(found.count)} alerts`}, last <Time at={found.latest} />
    </a>
  );
}

/** Most are called as their kind. */
function kindOf({ name, source, schema }: Detector): string {
  if (isAutomatic({ source })) return automaticHint;
  return name === schema?.title ? '' : (schema?.title ?? '');
}
