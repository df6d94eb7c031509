import { createWorkspace, type Environment, type Vigil } from '../../../testing/createWorkspace.ts';
import { type Anvil, startAnvil } from '../../../testing/startAnvil.ts';
import type { Json } from '../../../testing/startTestApi.ts';
import { type HealthProbe, probeHealth } from './healthProbe.ts';

export type Tenant = {
  id: number;
  /** A manager's API key. */
  token: string;
  /** A viewer's API key. */
  viewer: string;
  email: string;
  projectId: number;
  ok(method: string, path: string, body?: unknown): Promise<Json>;
  call(method: string, path: string, body?: unknown): ReturnType<Vigil['call']>;
  /** A contract of the tenant on a chain. */
  addContract(address: string, members?: Json): Promise<number>;
  addDetector(contractId: number, schemaName: string, config?: Json, members?: Json): Promise<number>;
};

export type Arena = {
  vigil: Vigil;
  health: HealthProbe;
  victim: Tenant;
  attacker: Tenant;
  /** One more tenant, with these quantities of its plan. */
  addTenant(name: string, quotas?: Json): Promise<Tenant>;
  stop(): Promise<void>;
};

export const password = 'a plain but long password 42';

/** A Vigil of its own with two tenants, neither of which its plan holds back. */
export async function startArena(env: Environment = {}): Promise<Arena> {
  const workspace = await createWorkspace();
  const vigil = await workspace.serve(workspace.folder('data'), { VIGIL_LOG_LEVEL: 'warn', ...env });
  const schemas: Json = await vigil.ok('POST', 'detector/schema/search', { size: 1000 });
  const health = probeHealth(vigil);

  async function addTenant(name: string, quotas: Json = {}): Promise<Tenant> {
    const plan = await vigil.ok('POST', 'plan', { ...wide, name, ...quotas });
    const { id: tenantId } = await vigil.ok('POST', 'tenant', { name });
    await vigil.ok('POST', 'subscription', { tenantId, planId: plan.id, expirationDate: 4_000_000_000_000 });
    const key = async (role: string) =>
      (await vigil.ok('POST', 'apikey', { tenantId, label: role, roles: [role] })).token as string;
    const [token, viewer] = [await key('tenant-manager'), await key('tenant-viewer')];
    const email = `${name.toLowerCase()}@example.com`;
    await vigil.ok('POST', 'user', { tenantId, email, password, roles: ['tenant-manager'] });
    const ok: Tenant['ok'] = (method, path, body) => vigil.ok(method, path, body, { token });
    const project = await ok('POST', 'project', { name: 'Project' });
    return {
      id: tenantId,
      token,
      viewer,
      email,
      projectId: project.id,
      ok,
      call: (method, path, body) => vigil.call(method, path, body, { token }),
      addContract: async (address, members = {}) =>
        (
          await ok('POST', 'contract', {
            projectId: project.id,
            name: 'Contract',
            chainUid: 'anvil',
            address,
            ...members,
          })
        ).id,
      addDetector: async (contractId, schemaName, config = {}, members = {}) => {
        const schema = schemas.data.find((each: Json) => each.name === schemaName);
        const body = { contractId, schemaId: schema.id, name: schemaName, config, ...members };
        return (await ok('POST', 'detector', body)).id;
      },
    };
  }

  const [victim, attacker] = [await addTenant('Victim'), await addTenant('Attacker')];
  return {
    vigil,
    health,
    victim,
    attacker,
    addTenant,
    async stop() {
      await health.stop();
      await workspace.remove();
    },
  };
}

const many = 1_000_000;
const wide = {
  maxUsers: many,
  maxContracts: many,
  maxProjects: many,
  maxTriggers: many,
  maxDetectors: many,
  maxWallets: many,
  maxActions: many,
  maxApiKeys: many,
  detectorRateLimit: many,
};

/** An arena with a chain of its own. */
export async function startChainArena(env: Environment = {}): Promise<Arena & { anvil: Anvil }> {
  const anvil = await startAnvil();
  const arena = await startArena({ VIGIL_RPC_ANVIL: `${anvil.url},${anvil.wsUrl}`, ...env }).catch(
    async (error: unknown) => {
      await anvil.stop();
      throw error;
    },
  );
  return {
    ...arena,
    anvil,
    async stop() {
      await arena.stop();
      await anvil.stop();
    },
  };
}
