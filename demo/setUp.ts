import type { Contract } from '../testing/createContract.ts';
import { createAsk } from './askVigil.ts';
import { units, type World } from './deploy.ts';

type Watched = {
  contract: Contract;
  name: string;
  category: string;
  /** By the name of their schema; they are called as it is, unless `called` says otherwise. */
  detectors: Readonly<Record<string, { called?: string; [member: string]: unknown }>>;
  triggers: readonly { triggerType: string; name: string; severity: string; params: object }[];
};

/** The guardian is a wallet of Vigil's that pauses the pool when it is drained. */
export type Tenant = { token: string; poolId: number; guardian: string; actionId: number };

/** Makes a tenant with a manager's API key, and as this manager everything that is watched. */
export async function setUp(url: string, adminToken: string, world: World): Promise<Tenant> {
  const askAsAdmin = createAsk(url, adminToken);
  const tenant = await askAsAdmin('POST', 'tenant', { name: 'Demo' });
  const plan = await askAsAdmin('POST', 'plan', busyPlan);
  const expirationDate = Date.now() + 365 * 86_400_000;
  await askAsAdmin('POST', 'subscription', { tenantId: tenant.id, planId: plan.id, expirationDate });
  const { token } = await askAsAdmin<{ token: string }>('POST', 'apikey', {
    tenantId: tenant.id,
    label: 'demo',
    roles: ['tenant-manager'],
  });

  const ask = createAsk(url, token);
  const project = await ask('POST', 'project', { name: 'Demo Finance', networkStatus: 'DEVNET' });
  await ask('POST', 'label', { address: world.attacker, name: 'Known exploiter', tags: ['EXPLOIT'] });
  const schemas = await ask<{ data: { id: number; name: string; title: string }[] }>(
    'POST',
    'detector/schema/search',
    { size: 1000 },
  );
  let poolId = 0;
  let drainDetectorId = 0;
  for (const { contract, name, category, detectors, triggers } of watchedIn(world)) {
    const { id: contractId } = await ask('POST', 'contract', {
      projectId: project.id,
      chainUid: 'anvil',
      address: contract.address,
      name,
      category,
      abi: contract.abi,
    });
    if (contract === world.pool) poolId = contractId;
    for (const [schemaName, { called, ...config }] of Object.entries(detectors)) {
      const schema = schemas.data.find((each) => each.name === schemaName);
      if (!schema) throw new Error(`Vigil has no detector ${schemaName}.`);
      const { id } = await ask('POST', 'detector', {
        contractId,
        schemaId: schema.id,
        name: called ?? schema.title,
        config,
      });
      if (schemaName === 'tvl_drop') drainDetectorId = id;
    }
    for (const { severity, ...trigger } of triggers)
      await ask('POST', 'trigger', { contractId, ...trigger, alerts: [{ severity, name: trigger.name }] });
  }
  const wallet = await ask<{ id: number; address: string }>('POST', 'wallet', {
    chainUid: 'anvil',
    name: 'Guardian',
  });
  const action = await ask('POST', 'action', {
    contractId: poolId,
    walletId: wallet.id,
    name: 'Pause the pool',
    funcSignature: 'pause()',
    fireAt: 'head',
    detectors: [{ detectorId: drainDetectorId, scriptFilter: "e.severity === 'CRITICAL'" }],
  });
  return { token, poolId, guardian: wallet.address, actionId: action.id };
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
          desc: '{args.who} took {args.amount} units of {args.token} out of the vault.',
        },
      },
      triggers: [
        {
          triggerType: 'EVENT_PARAMETER',
          name: 'Large deposit',
          severity: 'LOW',
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
          severity: 'INFO',
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
          severity: 'HIGH',
          params: { direction: 'out' },
        },
      ],
    },
  ];
}
