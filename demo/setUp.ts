import { type BodyOf, createClient } from '../sdk/src/index.ts';
import { getOrThrow } from '../src/lib/getOrThrow.ts';
import type { Contract } from '../testing/createContract.ts';
import { units, type World } from './deploy.ts';
import type { Other } from './others.ts';

/** Of each kind on its own, so that `params` stay those of the kind. */
type WithoutContract<T> = T extends unknown ? Omit<T, 'contractId'> : never;

type Watched = {
  contract: Contract;
  name: string;
  category: string;
  /** By the name of their schema; they are called as it is, unless `called` says otherwise. */
  detectors: Readonly<Record<string, { called?: string; [member: string]: unknown }>>;
  triggers: readonly WithoutContract<BodyOf<'POST', '/trigger'>>[];
};

/** The guardian is a wallet of Vigil's that pauses the pool when it is drained. */
export type Tenant = {
  token: string;
  projectId: number;
  poolId: number;
  guardian: string;
  walletId: number;
  actionId: number;
};

/** Makes a tenant with a manager's API key, and as this manager everything that is watched. */
export async function setUp(
  url: string,
  adminToken: string,
  world: World,
  others: readonly Other[],
): Promise<Tenant> {
  const admin = createClient({ url, token: adminToken });
  const tenant = await admin.post('/tenant', { body: { name: 'Demo' } });
  const plan = await admin.post('/plan', { body: busyPlan });
  const expirationDate = Date.now() + 365 * 86_400_000;
  await admin.post('/subscription', { body: { tenantId: tenant.id, planId: plan.id, expirationDate } });
  const { token } = await admin.post('/apikey', {
    body: { tenantId: tenant.id, label: 'demo', roles: ['tenant-manager'] },
  });

  const client = createClient({ url, token });
  const project = await client.post('/project', { body: { name: 'Demo Finance', networkStatus: 'DEVNET' } });
  const label = { address: world.attacker, name: 'Known exploiter', tags: ['EXPLOIT' as const] };
  await client.post('/label', { body: label });
  const schemas = new Map<string, { id: number; title: string }>();
  for await (const schema of client.each('/detector/schema/search')) schemas.set(schema.name, schema);
  let poolId = 0;
  let drainDetectorId = 0;
  for (const { contract, name, category, detectors, triggers } of watchedIn(world)) {
    const { id: contractId } = await client.post('/contract', {
      body: {
        projectId: project.id,
        chainUid: 'anvil',
        address: contract.address,
        name,
        category,
        abi: [...contract.abi],
      },
    });
    if (contract === world.pool) poolId = contractId;
    for (const [schemaName, { called, ...config }] of Object.entries(detectors)) {
      const schema = getOrThrow(schemas, schemaName);
      const { id } = await client.post('/detector', {
        body: { contractId, schemaId: schema.id, name: called ?? schema.title, config },
      });
      if (schemaName === 'tvl_drop') drainDetectorId = id;
    }
    for (const trigger of triggers) await client.post('/trigger', { body: { contractId, ...trigger } });
  }
  for (const { uid, treasury, detectors } of others) {
    const { id: contractId } = await client.post('/contract', {
      body: {
        projectId: project.id,
        chainUid: uid,
        address: treasury,
        addressType: 'WALLET',
        name: `Treasury on ${uid}`,
      },
    });
    for (const [schemaName, config] of Object.entries(detectors)) {
      const { id: schemaId, title } = getOrThrow(schemas, schemaName);
      await client.post('/detector', { body: { contractId, schemaId, name: title, config } });
    }
  }
  const wallet = await client.post('/wallet', {
    body: { chainUid: 'anvil', name: 'Guardian', allowedCalls: null },
  });
  const action = await client.post('/action', {
    body: {
      contractId: poolId,
      walletId: wallet.id,
      name: 'Pause the pool',
      funcSignature: 'pause()',
      fireAt: 'head',
      detectors: [{ detectorId: drainDetectorId, scriptFilter: "e.severity === 'CRITICAL'" }],
    },
  });
  return {
    token,
    projectId: project.id,
    poolId,
    guardian: wallet.address,
    walletId: wallet.id,
    actionId: action.id,
  };
}

/** The free plan allows 1,000 alerts an hour, which a long demo exceeds. */
const busyPlan = {
  name: 'demo',
  maxUsers: 10,
  maxContracts: 100,
  maxProjects: 10,
  maxTriggers: 100,
  maxDetectors: 100,
  maxWallets: 10,
  maxActions: 100,
  maxApiKeys: 10,
  detectorRateLimit: 1_000_000,
};

function watchedIn({ token, vault, multisig, pool }: World): Watched[] {
  const large = '50000';
  return [
    {
      contract: token,
      name: 'Demo Dollar',
      category: 'erc20',
      detectors: {
        large_transfer: { threshold: '100000' },
        ownership_change: {},
        access_control_change: {},
        unlimited_approval: { allowedSpenders: [vault.address] },
        block_reorg: {},
      },
      triggers: [],
    },
    {
      contract: vault,
      name: 'Vault',
      category: 'vault',
      detectors: {
        proxy_upgrade: {},
        ownership_change: {},
        pause_state: {},
        failed_tx_spike: { atLeast: 10, within: '1 min' },
        custom_event: {
          called: 'Large withdrawal',
          signature: 'Withdrawn(address indexed who, address indexed token, uint256 amount)',
          expression: `e.args.amount >= ${large}n * 10n ** 18n`,
          desc: '{args.who | label} took {args.amount | token} out of the vault.',
        },
      },
      triggers: [
        {
          triggerType: 'EVENT_PARAMETER',
          name: 'Large deposit',
          alerts: [
            {
              severity: 'LOW',
              name: 'Large deposit',
              message: '{args.who | label} put {args.amount | token} into the vault.',
            },
          ],
          params: {
            signature: 'Deposited(address indexed who, address indexed token, uint256 amount)',
            conditions: [{ name: 'amount', operator: '>=', value: String(units(Number(large))) }],
          },
        },
      ],
    },
    {
      contract: multisig,
      name: 'Treasury multisig',
      category: 'safe',
      detectors: { safe_multisig: {}, access_control_change: {} },
      triggers: [
        {
          triggerType: 'NATIVE_TRANSFER',
          name: 'Coins received',
          alerts: [{ severity: 'INFO', name: 'Coins received' }],
          params: { direction: 'in', minAmount: '1' },
        },
      ],
    },
    {
      contract: pool,
      name: 'Lending pool',
      category: 'lending',
      detectors: {
        flash_loan: {},
        tvl_drop: { native: false, tokens: [{ token: token.address, threshold: '10%' }] },
      },
      triggers: [
        {
          triggerType: 'ERC20_TRANSFER',
          name: 'Tokens leave the pool',
          alerts: [{ severity: 'HIGH', name: 'Tokens leave the pool' }],
          params: { direction: 'out' },
        },
      ],
    },
  ];
}
