import type { Approval } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { nameOf } from '../../state/names.ts';
import { can, me } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { PageTabs } from '../PageTabs.tsx';
import { Changes } from './Changes.tsx';

const tones = { PENDING: 'accent', APPROVED: 'good', REJECTED: 'bad', EXPIRED: 'dim' } as const;

const approvals: RecordKind<Approval> = {
  path: '/approval',
  singular: 'approval',
  plural: 'Approvals',
  about:
    'Whatever changes when a wallet that asks for approval signs, or what, waits here for a second user. Alerts fire without asking.',
  isOfTenant: true,
  canCreate: false,
  canEdit: false,
  canDelete: false,
  columns: [
    {
      name: 'state',
      title: 'State',
      width: '100px',
      show: ({ state }) => <Badge tone={tones[state]}>{state}</Badge>,
    },
    {
      name: 'request',
      title: 'Request',
      show: ({ method, path, recordId }) => (
        <code>
          {method} {path.replace('{id}', String(recordId))}
        </code>
      ),
    },
    {
      name: 'wallet',
      title: 'Wallet',
      wideOnly: true,
      show: ({ walletId }) => nameOf('wallet', walletId) ?? `#${walletId}`,
    },
    {
      name: 'by',
      title: 'Asked by',
      width: '100px',
      wideOnly: true,
      show: ({ requestedBy }) => userText(requestedBy),
    },
    { name: 'at', title: 'When', width: '110px', show: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  detail: (approval, reload) => <Detail approval={approval} reload={reload} />,
};

const userText = (id: number | null) => (id === null ? 'a token' : `user #${id}`);

export default function ApprovalsPage() {
  return (
    <div class="page">
      <PageTabs of="Actions and wallets" />
      <RecordList kind={approvals} heading="h1" />
    </div>
  );
}

function Detail({ approval, reload }: { approval: Approval; reload(): void }) {
  const { id, tenantId, state, method, path, body, changes, expiresAt, requestedBy, decidedBy, walletId } =
    approval;
  const user = me.value;
  const isOwn = requestedBy !== null && requestedBy === user?.userId;
  // Keys and administrators decide on nothing: a second person of the tenant does.
  const isSecond = !isOwn && user?.userId !== null && user?.tenantId === tenantId;
  const mayDecide = can(`${method} ${path}`) && can('POST /approval/{id}/approve');
  const decide = async (work: () => Promise<unknown>, said: string) => {
    if (await attempt(work, said)) reload();
  };
  const request = { path: { id } };
  return (
    <>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <Badge tone={tones[state]}>{state}</Badge>
        </dd>
        <dt>Request</dt>
        <dd>
          <code class="foreign">
            {method} {path}
          </code>
        </dd>
        <dt>Wallet</dt>
        <dd class="foreign">{nameOf('wallet', walletId) ?? `#${walletId}`}</dd>
        <dt>Asked by</dt>
        <dd>{userText(requestedBy)}</dd>
        {decidedBy !== null && (
          <>
            <dt>Decided by</dt>
            <dd>{userText(decidedBy)}</dd>
          </>
        )}
        <dt>Ends</dt>
        <dd>
          <Time at={expiresAt} />
        </dd>
      </dl>
      {changes ? (
        <Changes changes={changes} />
      ) : (
        <pre class="notice foreign">{JSON.stringify(body, null, 2)}</pre>
      )}
      {state === 'PENDING' && isOwn && <p class="dim">Someone else has to decide on what you asked for.</p>}
      {state === 'PENDING' && mayDecide && (
        <div class="row">
          {isSecond && (
            <button
              type="button"
              class="primary"
              onClick={() =>
                decide(() => client.post('/approval/{id}/approve', request), 'Approved and carried out.')
              }
            >
              Approve
            </button>
          )}
          <button
            type="button"
            class="danger"
            onClick={() =>
              decide(() => client.post('/approval/{id}/reject', request), isOwn ? 'Withdrawn.' : 'Rejected.')
            }
          >
            {isOwn ? 'Withdraw' : 'Reject'}
          </button>
        </div>
      )}
    </>
  );
}
