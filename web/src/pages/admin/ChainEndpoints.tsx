import { useState } from 'preact/hooks';
import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { client } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { attempt, toast } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';

type Endpoint = ReplyOf<'GET', '/chain/{uid}/endpoint'>['data'][number];
type Report = ReplyOf<'POST', '/chain/{uid}/endpoint/try'>;
type Tried = { report?: Report; error?: unknown; isBusy?: boolean };

/** The endpoints of a chain: those of the environment, and those that are added, tried and removed here. */
export function ChainEndpoints({ chainUid, onChange }: { chainUid: string; onChange(): void }) {
  const list = useLoad(`endpoints ${chainUid}`, (signal) =>
    client.get('/chain/{uid}/endpoint', { path: { uid: chainUid }, signal }),
  );
  const changed = () => {
    list.reload();
    onChange();
  };
  return (
    <section class="stack" aria-labelledby="endpoints">
      <h3 id="endpoints">Endpoints</h3>
      <Problem error={list.error} retry={list.reload} />
      {!list.data && list.isLoading && <Loading lines={2} />}
      {list.data?.data.length === 0 && (
        <p class="dim">None yet: Vigil follows the chain as soon as it has one.</p>
      )}
      <ul class="list">
        {list.data?.data.map((endpoint) => (
          <Row key={endpoint.uid} chainUid={chainUid} endpoint={endpoint} onChange={changed} />
        ))}
      </ul>
      <AddForm chainUid={chainUid} onAdded={changed} />
    </section>
  );
}

type RowProps = { chainUid: string; endpoint: Endpoint; onChange(): void };

function Row({ chainUid, endpoint, onChange }: RowProps) {
  const [tried, setTried] = useState<Tried>({});
  const [isSure, setSure] = useState(false);
  const path = { uid: chainUid, endpointUid: endpoint.uid };
  const isActive = endpoint.status === 'ACTIVE';
  const change = async (work: () => Promise<unknown>, done: string) => {
    if (await attempt(work, done)) onChange();
  };
  return (
    <li class="stack">
      <div class="row apart">
        <span>
          <code class="foreign">{endpoint.url}</code>{' '}
          {endpoint.name && <span class="dim small foreign">{endpoint.name}</span>}{' '}
          {endpoint.isFixed && <Badge>fixed</Badge>}
          {!isActive && <Badge tone="warn">not used</Badge>}
        </span>
        <span class="row tight">
          <TryButton
            isBusy={tried.isBusy}
            label={`Try ${endpoint.url}`}
            onTry={() =>
              run(setTried, () => client.post('/chain/{uid}/endpoint/{endpointUid}/try', { path }))
            }
          />
          {!endpoint.isFixed && (
            <>
              <button
                type="button"
                class="small"
                onClick={() =>
                  change(
                    () =>
                      client.put('/chain/{uid}/endpoint/{endpointUid}', {
                        path,
                        body: { status: isActive ? 'DISABLED' : 'ACTIVE' },
                      }),
                    isActive ? 'The endpoint is not used any more.' : 'The endpoint is used again.',
                  )
                }
              >
                {isActive ? 'Stop using' : 'Use'}
              </button>
              <button
                type="button"
                class="small danger"
                onClick={() =>
                  isSure
                    ? change(
                        () => client.delete('/chain/{uid}/endpoint/{endpointUid}', { path }),
                        'Deleted the endpoint.',
                      )
                    : setSure(true)
                }
              >
                {isSure ? 'Really delete' : 'Delete'}
              </button>
            </>
          )}
        </span>
      </div>
      <Findings tried={tried} />
    </li>
  );
}

function AddForm({ chainUid, onAdded }: { chainUid: string; onAdded(): void }) {
  const [tried, setTried] = useState<Tried>({});
  const path = { uid: chainUid };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const url = new FormData(form).get('url');
    const body = { url: String(url).trim() };
    if ((event.submitter as HTMLButtonElement | null)?.value === 'try')
      return run(setTried, () => client.post('/chain/{uid}/endpoint/try', { path, body }));
    setTried({ isBusy: true });
    try {
      await client.post('/chain/{uid}/endpoint', { path, body });
      form.reset();
      setTried({});
      toast('Added the endpoint.');
      onAdded();
    } catch (error) {
      setTried({ error });
    }
  };
  return (
    <form class="stack" onSubmit={submit}>
      <label class="field">
        <span class="label">Address of an RPC endpoint</span>
        <input
          name="url"
          type="url"
          required
          maxLength={2000}
          autocomplete="off"
          spellcheck={false}
          placeholder="https:// or wss://"
        />
        <span class="dim small">It is stored sealed; access keys in it are never shown again.</span>
      </label>
      <div class="row">
        <button type="submit" class="primary" disabled={tried.isBusy}>
          Add
        </button>
        <button type="submit" name="what" value="try" disabled={tried.isBusy}>
          Try
        </button>
      </div>
      <Findings tried={tried} />
    </form>
  );
}

function TryButton({
  isBusy = false,
  label,
  onTry,
}: {
  isBusy?: boolean | undefined;
  label: string;
  onTry(): void;
}) {
  return (
    <button type="button" class="small" aria-label={label} disabled={isBusy} onClick={onTry}>
      Try
    </button>
  );
}

async function run(set: (tried: Tried) => void, work: () => Promise<Report>): Promise<void> {
  set({ isBusy: true });
  try {
    set({ report: await work() });
  } catch (error) {
    set({ error });
  }
}

/** Readers of the screen hear of it when it arrives. */
function Findings({ tried }: { tried: Tried }) {
  return (
    <div role="status">
      <Facts tried={tried} />
    </div>
  );
}

function Facts({ tried: { report, error, isBusy } }: { tried: Tried }) {
  if (isBusy) return <Loading lines={1} />;
  if (error) return <Problem error={error} />;
  if (!report) return null;
  if (report.fault !== null) return <p class="notice bad foreign">It cannot be used: {report.fault}.</p>;
  const unknown = 'not found out';
  const depth = report.archiveDepth === null ? unknown : `at least ${showCount(report.archiveDepth)} blocks`;
  return (
    <dl class="facts">
      <dt>Newest block</dt>
      <dd>
        {report.head === null ? unknown : showCount(report.head)}, {report.latencyMs} ms
      </dd>
      <dt>State</dt>
      <dd>{report.isArchive ? 'of every block' : depth}</dd>
      <dt>Traces</dt>
      <dd>{report.traces === null ? unknown : report.traces.join(', ') || 'none'}</dd>
      <dt>Pending transactions</dt>
      <dd>{report.pendingTransactions === null ? unknown : report.pendingTransactions ? 'yes' : 'no'}</dd>
      <dt>Search for logs</dt>
      <dd>{report.logRange === null ? unknown : `${showCount(report.logRange)} blocks at once`}</dd>
    </dl>
  );
}
