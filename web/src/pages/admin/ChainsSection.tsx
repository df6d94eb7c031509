import { Badge } from '../../parts/Badge.tsx';
import { DataTable } from '../../parts/DataTable.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { troubleOf } from '../../state/chainTrouble.ts';
import { showCount } from '../../state/format.ts';
import { type Chain, loadChains } from '../../state/names.ts';
import { href, search, setSearch } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';
import { ChainEndpoints } from './ChainEndpoints.tsx';
import { ChainForm } from './ChainForm.tsx';
import { EndpointForm } from './EndpointForm.tsx';
import { OwnChain } from './OwnChain.tsx';

/** Every chain, how far it is followed, and how its endpoints fare. */
export function ChainsSection() {
  const { data, error, reload } = useLoad('chains', () => loadChains(), { every: 5000 });
  const isAll = search.value.get('all') === 'true';
  const rows = (data ?? []).filter(
    ({ configured, contracts, isOwn }) => isAll || configured || contracts > 0 || isOwn,
  );
  const mayAdd = can('POST /chain/{uid}/endpoint');
  const stopAdding = () => {
    setSearch({ new: undefined });
    reload();
  };
  const open = data?.find(({ chainUid }) => chainUid === search.value.get('chain'));
  return (
    <>
      <header class="row">
        <h1 class="grow">
          Chains <span class="dim small">{rows.length}</span>
        </h1>
        <label class="check">
          <input
            type="checkbox"
            checked={isAll}
            onChange={({ currentTarget }) => setSearch({ all: currentTarget.checked ? 'true' : undefined })}
          />
          Also those that are not set up
        </label>
        {can('POST /chain') && (
          <button type="button" onClick={() => setSearch({ new: 'chain' })}>
            <Icon name="plus" />
            Add a chain
          </button>
        )}
        {mayAdd && (
          <button type="button" class="primary" onClick={() => setSearch({ new: 'endpoint' })}>
            <Icon name="plus" />
            Connect a chain
          </button>
        )}
      </header>
      <Problem error={error} retry={reload} />
      {!data && !error && <Loading />}
      {data && rows.length === 0 && (
        <div class="card">
          <Empty title="No chain is followed yet">
            Vigil follows a chain once it has an endpoint for it: the address of a node or of a provider.
          </Empty>
        </div>
      )}
      {rows.length > 0 && (
        <div class="card flush">
          <DataTable
            label="Chains"
            rows={rows}
            rowKey={({ chainUid }) => chainUid}
            onOpen={({ chainUid }) => setSearch({ chain: chainUid }, { replace: false })}
            columns={[
              { name: 'name', title: 'Name', show: ({ name }) => name },
              { name: 'state', title: 'State', width: '170px', show: (chain) => <State chain={chain} /> },
              {
                name: 'head',
                title: 'Newest block',
                width: '130px',
                isNumber: true,
                wideOnly: true,
                show: ({ head }) => (head === null ? '' : showCount(head)),
              },
              {
                name: 'lag',
                title: 'Behind',
                width: '80px',
                isNumber: true,
                show: ({ lag }) => (lag === null ? '' : showCount(lag)),
              },
              {
                name: 'contracts',
                title: 'Contracts',
                width: '90px',
                isNumber: true,
                wideOnly: true,
                show: ({ contracts }) => showCount(contracts),
              },
              {
                name: 'endpoints',
                title: 'Endpoints',
                wideOnly: true,
                show: ({ endpoints }) => endpoints.map(({ endpoint }) => endpoint).join(', '),
              },
            ]}
          />
        </div>
      )}
      {mayAdd && search.value.get('new') === 'endpoint' && (
        <Dialog title="Connect a chain" onClose={stopAdding}>
          <EndpointForm onDone={stopAdding} onCancel={stopAdding} />
        </Dialog>
      )}
      {can('POST /chain') && search.value.get('new') === 'chain' && (
        <Dialog title="Add a chain" onClose={stopAdding}>
          <ChainForm onDone={stopAdding} onCancel={stopAdding} />
        </Dialog>
      )}
      {open && (
        <Dialog title={open.name} kind="drawer" onClose={() => setSearch({ chain: undefined })}>
          <Detail
            chain={open}
            onChange={reload}
            onDelete={() => {
              setSearch({ chain: undefined });
              reload();
            }}
          />
        </Dialog>
      )}
    </>
  );
}

function State({ chain }: { chain: Chain }) {
  const { configured, followed, endpoints, watchReason, processedAt } = chain;
  if (!configured) return <Badge>not set up</Badge>;
  if (!followed) return <Badge tone="warn">not followed</Badge>;
  const isFailing = endpoints.length > 0 && endpoints.every(({ state }) => state !== 'ok');
  const trouble = troubleOf(chain) ?? (isFailing ? 'failing' : undefined);
  if (!trouble) return <Badge tone="good">followed</Badge>;
  return (
    <span title={watchReason ?? ''}>
      <Badge tone="bad">{trouble}</Badge>{' '}
      <span class="dim small">{processedAt && <Time at={processedAt} />}</span>
    </span>
  );
}

type DetailProps = { chain: Chain; onChange(): void; onDelete(): void };

function Detail({ chain, onChange, onDelete }: DetailProps) {
  return (
    <>
      {chain.watchReason && troubleOf(chain) && (
        <p class="notice bad" role="status">
          {chain.watchReason}{' '}
          {chain.processedAt !== null && (
            <>
              Nothing was seen since <Time at={chain.processedAt} exact />.
            </>
          )}
        </p>
      )}
      <dl class="facts">
        <dt>Chain</dt>
        <dd>
          <code>{chain.chainUid}</code> {chain.chainId !== null && `chain id ${chain.chainId}, `}
          {chain.currency.symbol}
        </dd>
        <dt>Processed</dt>
        <dd>
          {chain.processed === null ? 'nothing yet' : `block ${showCount(chain.processed)}`}{' '}
          <span class="dim small">
            <Time at={chain.processedAt} />
          </span>
        </dd>
        <dt>Confirmed</dt>
        <dd>
          {chain.confirmed === null ? 'nothing yet' : `block ${showCount(chain.confirmed)}`}, after{' '}
          {chain.confirmations} blocks
        </dd>
      </dl>
      {chain.isOwn && can('PUT /chain/{uid}') && (
        <OwnChain chainUid={chain.chainUid} name={chain.name} onChange={onChange} onDelete={onDelete} />
      )}
      {chain.canFollow && can('GET /chain/{uid}/endpoint') && (
        <ChainEndpoints key={chain.chainUid} chainUid={chain.chainUid} onChange={onChange} />
      )}
      {chain.endpoints.length > 0 && <h3>Health while following</h3>}
      <ul class="list">
        {chain.endpoints.map(({ endpoint, state, head, latencyMs, faults, lastFault, lastFaultAt }) => (
          <li key={endpoint}>
            <p class="row">
              <Badge value={state} tone={state === 'ok' ? 'good' : 'bad'} />{' '}
              <code class="foreign">{endpoint}</code>
            </p>
            <p class="dim small foreign">
              {head !== null && `block ${showCount(head)}, `}
              {latencyMs !== null && `${latencyMs} ms, `}
              {faults > 0 ? `${faults} faults in a row` : 'answers'}
              {lastFault && (
                <>
                  ; last fault {lastFaultAt !== null && <Time at={lastFaultAt} />}: {lastFault}
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
      {chain.unwatched.length > 0 && (
        <>
          <h3>Not watched, because there is no endpoint</h3>
          <ul>
            {chain.unwatched.map(({ id, name }) => (
              <li key={id}>
                <a class="foreign" href={href(`/contracts/${id}`)}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
