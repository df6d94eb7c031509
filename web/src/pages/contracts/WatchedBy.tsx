import { useState } from 'preact/hooks';
import type { Action, Contract, Detector, Trigger } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { client, searchRecords } from '../../state/api.ts';
import { href, search } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { automaticHint, isAutomatic } from '../detectors/automatic.ts';
import { Recommend } from './Recommend.tsx';

/** What watches a contract and what acts on it; each can be switched on and off in place. */
export function WatchedBy({ contract }: { contract: Contract }) {
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
            </span>
            <span class="row tight">
              <Badge value={row.status} />
              {can(`PUT /${kind}/{id}`) && (
                <button type="button" class="small" onClick={() => toggle(kind, row.id, row.status)}>
                  {row.status === 'ACTIVE' ? 'Switch off' : 'Switch on'}
                </button>
              )}
            </span>
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
    </section>
  );
}

/** Most are called as their kind. */
function kindOf({ name, source, schema }: Detector): string {
  if (isAutomatic({ source })) return automaticHint;
  return name === schema?.title ? '' : (schema?.title ?? '');
}
