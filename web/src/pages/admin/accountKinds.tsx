import { useState } from 'preact/hooks';
import type {
  Apikey,
  DetectorSchema,
  Invite,
  Organisation,
  Tenant,
  User,
} from '../../../../sdk/src/index.ts';
import { Tags } from '../../parts/Badge.tsx';
import { CopyButton } from '../../parts/CopyButton.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { Confirm } from '../../parts/Dialog.tsx';
import type { RecordKind } from '../../parts/RecordPage.tsx';
import { statusColumn, updatedColumn } from '../../parts/recordColumns.tsx';
import { scaledBy } from '../../parts/ScaledInput.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { nameOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { can, chooseTenant, me } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';

const tenant = <Row extends { tenantId?: number | null }>(): Column<Row> => ({
  name: 'tenant',
  title: 'Tenant',
  wideOnly: true,
  show: ({ tenantId }) => nameOf('tenant', tenantId) ?? (tenantId ? `#${tenantId}` : 'the platform'),
});
const roles = <Row extends { roles: readonly string[] }>(): Column<Row> => ({
  name: 'roles',
  title: 'Roles',
  show: (row) => row.roles.join(', '),
});

export const tenants: RecordKind<Tenant> = {
  path: '/tenant',
  singular: 'tenant',
  plural: 'Tenants',
  about: 'A tenant is a team with its own contracts, alerts, users and plan. No one sees another tenant.',
  searched: ['name'],
  columns: [{ name: 'name', title: 'Name', show: ({ name }) => name }, statusColumn, updatedColumn],
  form: { order: ['name', 'organisationId'] },
  onCreated: ({ id }) => chooseTenant(id),
};

export const organisations: RecordKind<Organisation> = {
  path: '/organisation',
  singular: 'organisation',
  plural: 'Organisations',
  about: 'An organisation grants licenses to projects of tenants, and follows their scores.',
  searched: ['name'],
  columns: [{ name: 'name', title: 'Name', show: ({ name }) => name }, updatedColumn],
};

export const users: RecordKind<User> = {
  path: '/user',
  singular: 'user',
  plural: 'Users',
  about: 'Users sign in with their e-mail address. Invite someone, or create a user with a password.',
  isOfTenant: true,
  searched: ['email', 'name'],
  limit: 'maxUsers',
  columns: [
    { name: 'email', title: 'E-mail address', show: ({ email }) => email },
    roles(),
    tenant(),
    statusColumn,
  ],
  form: { order: ['email', 'name', 'roles', 'password', 'tenantId'] },
  detail: ({ id }) => can('DELETE /user/{id}/session') && <EndSessions id={id} />,
};

function EndSessions({ id }: { id: number }) {
  const [isAsking, setAsking] = useState(false);
  const end = async () => {
    const { ended } = await client.delete('/user/{id}/session', { path: { id } });
    toast(`Ended ${ended} ${ended === 1 ? 'session' : 'sessions'}.`);
  };
  return (
    <p>
      <button type="button" class="small" onClick={() => setAsking(true)}>
        End all sessions
      </button>
      {isAsking && (
        <Confirm
          title="End all sessions of this user?"
          action="End all sessions"
          onClose={() => setAsking(false)}
          onConfirm={end}
        >
          <p>The user has to sign in again everywhere. The password stays, and so do API keys.</p>
        </Confirm>
      )}
    </p>
  );
}

export const invites: RecordKind<Invite> = {
  path: '/invite',
  singular: 'invite',
  plural: 'Invites',
  about: 'An invite lets someone choose a password and sign in with the roles that you give.',
  isOfTenant: true,
  searched: ['email'],
  limit: 'maxInvites',
  canEdit: false,
  columns: [
    { name: 'email', title: 'E-mail address', show: ({ email }) => email },
    roles(),
    tenant(),
    { name: 'at', title: 'Made', width: '110px', show: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  form: {
    order: ['email', 'roles', 'url'],
    defaults: { url: `${location.origin}${href('/accept-invite')}` },
    labels: { url: 'Page that accepts it' },
  },
  created: (invite, headers) => (
    <>
      <p class="foreign">
        {me.value?.installation.mail
          ? `The link goes by mail to ${invite.email}. Or hand it over yourself:`
          : 'This installation sends no mail: hand the link over yourself.'}
      </p>
      <Secret text={headers.get('x-invite-accept-link') ?? ''} />
    </>
  ),
};

export const apiKeys: RecordKind<Apikey> = {
  path: '/apikey',
  singular: 'key',
  plural: 'API keys',
  about:
    'Programs use the API with a key. It does what its roles allow, and is shown once. One for an engine that pushes findings ' +
    'needs tenant-ingest alone.',
  isOfTenant: true,
  searched: ['label'],
  limit: 'maxApiKeys',
  columns: [
    { name: 'label', title: 'For', show: ({ label }) => label },
    { name: 'hint', title: 'Ends with', width: '110px', show: ({ hint }) => <code>…{hint}</code> },
    roles(),
    tenant(),
    {
      name: 'expires',
      title: 'Ends',
      width: '110px',
      wideOnly: true,
      show: ({ expiredAt }) => <Time at={expiredAt} />,
    },
  ],
  form: {
    order: ['label', 'roles', 'lifetime'],
    labels: { lifetime: 'Lives for (days; as long as the plan allows if left empty)' },
    widgets: { lifetime: scaledBy(86_400) },
  },
  created: (key) => (
    <>
      <p>Copy it now. It is not shown again.</p>
      {'token' in key && <Secret text={String(key.token)} />}
    </>
  ),
};

function Secret({ text }: { text: string }) {
  return (
    <p class="notice row still">
      <code class="foreign grow">{text}</code>
      <CopyButton text={text} />
    </p>
  );
}

export const schemas: RecordKind<DetectorSchema> = {
  path: '/detector/schema',
  singular: 'schema',
  plural: 'Detector schemas',
  about: 'What the catalogue offers. Schemas of your own describe findings that another engine pushes.',
  searched: ['title', 'name'],
  columns: [
    { name: 'title', title: 'Title', show: ({ title }) => title },
    { name: 'name', title: 'Name', wideOnly: true, show: ({ name }) => <code>{name}</code> },
    { name: 'version', title: 'Version', width: '90px', wideOnly: true, show: ({ version }) => version },
    { name: 'tags', title: 'Tags', show: ({ tags }) => <Tags tags={tags} /> },
  ],
  form: { order: ['title', 'name', 'version', 'description', 'tags', 'configSchema'] },
};
