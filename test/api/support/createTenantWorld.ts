import { ingestRole, type Role, roles } from '../../../src/model/principal.ts';
import { issueToken } from '../../../src/services/accounts/issueToken.ts';
import type { TestApi } from '../../../testing/startTestApi.ts';
import { createWorld, type World } from '../../support/createWorld.ts';
import { newBody } from './newBody.ts';

export type TenantWorld = {
  world: World;
  /** A session of a user with this one role: in the tenant, or of the platform for `admin`. */
  session(role: Role): Promise<string>;
  /** One such session for every role, and a key for that of keys. */
  tokens: Record<Role, string>;
};

/**
 * A world whose licence records belong to its own organisation instead of to the platform, which everybody sees,
 * and a user for each role.
 */
export async function createTenantWorld(api: TestApi): Promise<TenantWorld> {
  const world = await createWorld(api);
  const users = new Map<Role, number>();
  for (const role of roles) {
    const { tenantId, email } = newBody('/user', world);
    const user = { ...(role === 'admin' ? {} : { tenantId }), email, roles: [role] };
    users.set(role, (await api.ok('POST', 'user', user)).id);
  }
  const session = async (role: Role): Promise<string> => {
    const tenantId = role === 'admin' ? null : world.tenant.id;
    const made = { kind: 'SESSION', tenantId, userId: users.get(role)!, label: null, roles: [] } as const;
    const expiredAt = api.services.now() + 3_600_000;
    return (await issueToken(api.store, { ...made, expiredAt }, api.services.now())).token;
  };
  const key = { tenantId: world.tenant.id, label: 'Engine', roles: [ingestRole] };
  const tokens = {
    ...Object.fromEntries(await Promise.all(roles.map(async (role) => [role, await session(role)]))),
    [ingestRole]: (await api.ok('POST', 'apikey', key)).token,
  } as Record<Role, string>;
  const organisation = { token: tokens['organisation-manager'] };
  const make = (path: string) => api.ok('POST', path, newBody(`/${path}`, world), organisation);
  world.license = await make('license');
  world.scoreGroup = await make('score/group');
  world.instance = await make('instance');
  world.instanceMeta = await make('instance/meta');
  return { world, session, tokens };
}
