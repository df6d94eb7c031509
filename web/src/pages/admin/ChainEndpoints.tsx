import { useState } from 'preact/hooks';
import { Badge } from '../../parts/Badge.tsx';
import { Confirm } from '../../parts/Dialog.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { client } from '../../state/api.ts';
import { attempt, toast } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { EndpointForm, type EndpointRow } from './EndpointForm.tsx';
import { EndpointReport, type Report } from './EndpointReport.tsx';

/** The endpoints of a chain: added, tried, changed and deleted here; those of the environment are fixed. */
export function ChainEndpoints({ chainUid: uid, onChange }: { chainUid: string; onChange(): void }) {
  const [open, setOpen] = useState<string>();
  const [deleting, setDeleting] = useState<EndpointRow>();
  const { data, error, reload } = useLoad(`endpoints ${uid}`, (signal) =>
    client.get('/chain/{uid}/endpoint', { path: { uid }, signal }),
  );
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    reload();
    onChange();
  };
  return (
    <section class="stack">
      <h3>Endpoints</h3>
      <Problem error={error} retry={reload} />
      {data?.data.length === 0 && (
        <p class="dim">None: the chain is not followed. Add the address of a node or of a provider.</p>
      )}
      <ul class="list">
        {data?.data.map((endpoint) => (
          <li key={endpoint.uid} class="stack">
            {open === endpoint.uid ? (
              <EndpointForm chainUid={uid} endpoint={endpoint} onDone={done} onCancel={close} />
            ) : (
              <Row
                chainUid={uid}
                endpoint={endpoint}
                onEdit={() => setOpen(endpoint.uid)}
                onDelete={() => setDeleting(endpoint)}
              />
            )}
          </li>
        ))}
      </ul>
      {open === 'new' ? (
        <EndpointForm chainUid={uid} onDone={done} onCancel={close} />
      ) : (
        <p>
          <button type="button" onClick={() => setOpen('new')}>
            <Icon name="plus" />
            Add an endpoint
          </button>
        </p>
      )}
      {deleting && (
        <Confirm
          title="Delete this endpoint?"
          action="Delete endpoint"
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            const path = { uid, endpointUid: deleting.uid };
            await client.delete('/chain/{uid}/endpoint/{endpointUid}', { path });
            toast('Deleted the endpoint.');
            done();
          }}
        >
          <p class="foreign">
            {deleting.name ?? deleting.url} is no longer used. Without its last endpoint the chain is not
            followed.
          </p>
        </Confirm>
      )}
    </section>
  );
}

type RowProps = { chainUid: string; endpoint: EndpointRow; onEdit(): void; onDelete(): void };

function Row({ chainUid, endpoint, onEdit, onDelete }: RowProps) {
  const { uid: endpointUid, name, url, isFixed, status } = endpoint;
  const [report, setReport] = useState<Report>();
  const [isBusy, setBusy] = useState(false);
  const tryIt = async () => {
    setBusy(true);
    const path = { uid: chainUid, endpointUid };
    await attempt(async () =>
      setReport(await client.post('/chain/{uid}/endpoint/{endpointUid}/try', { path })),
    );
    setBusy(false);
  };
  return (
    <>
      <div class="row apart">
        <span class="row">
          {status === 'DISABLED' && <Badge value={status} />}
          {name && <strong class="foreign">{name}</strong>}
          <code class="foreign">{url}</code>
        </span>
        <span class="row tight">
          <button type="button" class="small" disabled={isBusy} onClick={tryIt}>
            Try
          </button>
          {isFixed ? (
            <Badge>fixed by the environment</Badge>
          ) : (
            <>
              <button type="button" class="small" onClick={onEdit}>
                Edit
              </button>
              <button type="button" class="small danger" onClick={onDelete}>
                Delete
              </button>
            </>
          )}
        </span>
      </div>
      {report && <EndpointReport report={report} />}
    </>
  );
}
