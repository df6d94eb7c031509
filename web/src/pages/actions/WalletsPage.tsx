import { useState } from 'preact/hooks';
import type { Wallet } from '../../../../sdk/src/index.ts';
import { Address } from '../../parts/Address.tsx';
import { Amount } from '../../parts/Amount.tsx';
import { Badge } from '../../parts/Badge.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { Confirm } from '../../parts/Dialog.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { statusColumn } from '../../parts/recordColumns.tsx';
import { Time } from '../../parts/Time.tsx';
import { client, searchRecords } from '../../state/api.ts';
import type { Fields } from '../../state/fields.ts';
import { chainOf } from '../../state/names.ts';
import type { Schema } from '../../state/schemas.ts';
import { can } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { PageTabs } from '../PageTabs.tsx';

const wallets: RecordKind<Wallet> = {
  path: '/wallet',
  singular: 'wallet',
  plural: 'Wallets',
  about:
    'A wallet signs the calls of actions. Create one for a chain, then send it enough coins for gas. Its key never leaves Vigil.',
  isOfTenant: true,
  searched: ['name', 'address'],
  limit: 'maxWallets',
  columns: [
    { name: 'name', title: 'Name', show: ({ name }) => name },
    {
      name: 'address',
      title: 'Address',
      width: '190px',
      show: ({ address, chainUid }) => <Address value={address} chainUid={chainUid} />,
    },
    {
      name: 'chain',
      title: 'Chain',
      wideOnly: true,
      show: ({ chainUid }) => chainOf(chainUid)?.name ?? chainUid,
    },
    statusColumn,
  ],
  form: {
    needsTenant: true,
    shape: shapeWallet,
    order: [
      'name',
      'chainUid',
      'type',
      'privateKey',
      'maxGasPrice',
      'maxHourlySpend',
      'allowedCalls',
      'requireApproval',
      'approvers',
    ],
    labels: {
      chainUid: 'Chain',
      type: 'Key',
      privateKey: 'Private key of your own',
      maxGasPrice: 'Highest gas price',
      maxHourlySpend: 'Most spent an hour',
    },
  },
};

/** Where the key lives and where it comes from are asked together. */
function shapeWallet(schema: Schema, { type }: Fields): Schema {
  const { privateKey, ...others } = schema.properties ?? {};
  if (!privateKey) return schema;
  const description = 'Leave it empty and Vigil makes one. It is sealed, and never shown again.';
  return {
    ...schema,
    properties: {
      ...others,
      ...(type === 'HSM' ? {} : { privateKey: { ...privateKey, description, examples: [] } }),
    },
  };
}

export default function WalletsPage() {
  // Lists leave out what a wallet may call.
  const { data, reload } = useLoad(
    'open wallets',
    (signal) => searchRecords<Wallet>('/wallet', { size: 1000, where: 'allowedCalls is null' }, signal),
    { every: 15_000 },
  );
  const open = new Set(data?.data.map(({ id }) => id));
  const calls: Column<Wallet> = {
    name: 'calls',
    title: 'May call',
    width: '110px',
    show: ({ id }) => open.has(id) && <Badge tone="bad">anything</Badge>,
  };
  const kind: RecordKind<Wallet> = {
    ...wallets,
    columns: [...wallets.columns, calls],
    detail: (wallet, reloadList) => (
      <Detail
        wallet={wallet}
        reload={() => {
          reloadList();
          reload();
        }}
      />
    ),
  };
  return (
    <div class="page">
      <PageTabs of="Actions and wallets" />
      <RecordList kind={kind} heading="h1" />
    </div>
  );
}

/** What it may call, and for managers to open it. */
function AllowedCalls({ wallet, reload }: { wallet: Wallet; reload(): void }) {
  const { id, allowedCalls } = wallet;
  const [isOpening, setOpening] = useState(false);
  return (
    <>
      {allowedCalls === null && (
        <p class="warn">
          It may call every contract of the tenant, also those that users add later. Name what it may call
          below, under Allowed calls.
        </p>
      )}
      {allowedCalls?.length === 0 && (
        <p class="warn">
          It may call nothing yet: name what it may call below, under Allowed calls.{' '}
          {can('PUT /wallet/{id}') && (
            <button type="button" onClick={() => setOpening(true)}>
              Let it call anything
            </button>
          )}
        </p>
      )}
      {isOpening && (
        <Confirm
          title="Let this wallet call anything?"
          action="Open the wallet"
          onClose={() => setOpening(false)}
          onConfirm={async () => {
            await client.put('/wallet/{id}', { path: { id }, body: { allowedCalls: null } });
            toast('The wallet may call every contract of the tenant.');
            reload();
          }}
        >
          <p>Every user of the tenant can add a contract, and an action that calls it with this wallet.</p>
        </Confirm>
      )}
    </>
  );
}

/** What it holds and may spend, and what its former addresses still hold. */
function Detail({ wallet, reload }: { wallet: Wallet; reload(): void }) {
  const { id, chainUid, address } = wallet;
  const [isRotating, setRotating] = useState(false);
  const { data, error } = useLoad(
    can('GET /wallet/{id}/balance') ? `balance ${id} ${address}` : null,
    (signal) => client.get('/wallet/{id}/balance', { path: { id }, signal }),
    { every: 15_000 },
  );
  return (
    <>
      <Address value={address} chainUid={chainUid} whole />
      <AllowedCalls wallet={wallet} reload={reload} />
      <Problem error={error} />
      {data && (
        <dl class="facts">
          <dt>Balance</dt>
          <dd>
            <Amount value={data.balance} decimals={data.decimals} symbol={data.symbol} />{' '}
            <span class="dim small">at block {data.block}</span>
            {data.balance === '0' && <p class="warn">It cannot pay for gas: send coins to its address.</p>}
          </dd>
          <dt>Spent in the last hour</dt>
          <dd>
            <Amount value={data.limits.spentLastHour} decimals={data.decimals} symbol={data.symbol} />
            {data.limits.maxHourlySpend !== null && (
              <span class="dim">
                {' '}
                of at most {data.limits.maxHourlySpend} {data.symbol}
              </span>
            )}
          </dd>
          <dt>Highest gas price</dt>
          <dd>{data.limits.maxGasPrice === null ? 'no limit' : `${data.limits.maxGasPrice} gwei`}</dd>
          {data.former.map((former) => (
            <FormerAddress key={former.address} former={former} chainUid={chainUid} unit={data} />
          ))}
        </dl>
      )}
      {can('POST /wallet/{id}/rotate') && (
        <p>
          <button type="button" onClick={() => setRotating(true)}>
            Give it a new key
          </button>
        </p>
      )}
      {isRotating && (
        <Confirm
          title="Give this wallet a new key?"
          action="Make a new key"
          onClose={() => setRotating(false)}
          onConfirm={async () => {
            await client.post('/wallet/{id}/rotate', { path: { id } });
            toast('The wallet has a new key and a new address.');
            reload();
          }}
        >
          <p>
            It gets another address. Roles that contracts have granted to the old one, and its coins, stay
            there: move them before it has to act.
          </p>
        </Confirm>
      )}
    </>
  );
}

type Former = { address: string; balance: string; rotatedAt: number };

function FormerAddress(props: {
  former: Former;
  chainUid: string;
  unit: { decimals: number; symbol: string };
}) {
  const { former, chainUid, unit } = props;
  return (
    <>
      <dt>
        Until <Time at={former.rotatedAt} exact />
      </dt>
      <dd>
        <Address value={former.address} chainUid={chainUid} />{' '}
        <Amount value={former.balance} decimals={unit.decimals} symbol={unit.symbol} />
      </dd>
    </>
  );
}
