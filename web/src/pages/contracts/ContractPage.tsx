import { useState } from 'preact/hooks';
import type { PageProps } from '../../pageProps.ts';
import { Address } from '../../parts/Address.tsx';
import { Badge, Tags } from '../../parts/Badge.tsx';
import { Confirm, Dialog } from '../../parts/Dialog.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { RecordForm } from '../../parts/RecordForm.tsx';
import { client, VigilError } from '../../state/api.ts';
import { chainOf, nameOf } from '../../state/names.ts';
import { href, navigate } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { AbiCard } from './AbiCard.tsx';
import { AlertsCard } from './AlertsCard.tsx';
import { Control } from './Control.tsx';
import { Tokenomics } from './Tokenomics.tsx';
import { WatchedBy } from './WatchedBy.tsx';

export default function ContractPage({ params }: PageProps) {
  const id = Number(params.id);
  const contract = useLoad(String(id), (signal) => client.get('/contract/{id}', { path: { id }, signal }));
  const facts = useLoad(can('GET /contract/{id}/facts') ? `facts ${id}` : null, (signal) =>
    client.get('/contract/{id}/facts', { path: { id }, signal }),
  );
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  if (contract.error instanceof VigilError && contract.error.status === 404)
    return (
      <div class="page">
        <Empty
          title="There is no such contract, or you may not see it."
          action={<a href={href('/projects')}>All contracts</a>}
        />
      </div>
    );
  if (!contract.data)
    return (
      <div class="page">
        <Problem error={contract.error} retry={contract.reload} />
        <Loading />
      </div>
    );
  const { name, address, chainUid, implementation, tags, projectId, addressType, category } = contract.data;
  const chain = chainOf(chainUid);
  return (
    <div class="page" key={id}>
      <header>
        <h1 class="foreign">{name}</h1>
        {addressType !== 'CONTRACT' && <Badge>{addressType}</Badge>}
        <Tags tags={tags} />
        {can('PUT /contract/{id}') && (
          <button type="button" onClick={() => setOpen('edit')}>
            <Icon name="edit" />
            Edit
          </button>
        )}
        {can('POST /plannedchange') && (
          <a class="button" href={href(`/planned?new=planned+change&contractId=${id}`)}>
            Plan a change
          </a>
        )}
        {can('DELETE /contract/{id}') && (
          <button type="button" class="danger" onClick={() => setOpen('delete')}>
            <Icon name="trash" />
            Delete
          </button>
        )}
      </header>
      {chain && !chain.configured && (
        <p class="notice warn">
          It is not watched: no endpoint is configured for {chain.name}.{' '}
          {can('POST /chain/{uid}/endpoint') ? (
            <a href={href(`/admin/chains?chain=${chainUid}`)}>Add an endpoint</a>
          ) : (
            'An administrator can add one.'
          )}
        </p>
      )}
      <section class="card" aria-label="Facts">
        <dl class="facts">
          <dt>Address</dt>
          <dd>
            <Address value={address} chainUid={chainUid} whole />
          </dd>
          {facts.data && <Control facts={facts.data} chainUid={chainUid} contractId={id} />}
          {implementation && !facts.data?.data.some(({ name }) => name === 'implementation') && (
            <>
              <dt>Proxy of</dt>
              <dd>
                <Address value={implementation} chainUid={chainUid} whole />
              </dd>
            </>
          )}
          <dt>Chain</dt>
          <dd>{chain?.name ?? chainUid}</dd>
          <dt>Project</dt>
          <dd>
            <a class="foreign" href={href(`/projects/${projectId}`)}>
              {nameOf('project', projectId) ?? `#${projectId}`}
            </a>
          </dd>
          {category && (
            <>
              <dt>Category</dt>
              <dd class="foreign">{category}</dd>
            </>
          )}
        </dl>
      </section>
      <AlertsCard condition={`contractId:${id}`} contractId={id} since={contract.data.createdAt} />
      <WatchedBy contract={contract.data} quality={facts.data?.detectors ?? []} />
      {addressType === 'CONTRACT' && <AbiCard contract={contract.data} reload={contract.reload} />}
      <Tokenomics contractId={id} />
      {open === 'edit' && (
        <Dialog title={`Edit ${name}`} kind="drawer" onClose={close}>
          <RecordForm
            path="/contract"
            singular="contract"
            record={contract.data}
            order={['name', 'category', 'tags']}
            hidden={['address', 'chainUid', 'implementation']}
            onCancel={close}
            onDone={() => {
              close();
              contract.reload();
            }}
          />
        </Dialog>
      )}
      {open === 'delete' && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete contract"
          onClose={close}
          onConfirm={async () => {
            await client.delete('/contract/{id}', { path: { id } });
            toast('Deleted the contract.');
            navigate(`/projects/${projectId}`);
          }}
        >
          <p>
            It is no longer watched, and its detectors, triggers and actions are deleted. Its alerts stay.
          </p>
        </Confirm>
      )}
    </div>
  );
}
