import type { Product } from './startProduct.ts';

export const password = 'correct horse battery';
const most = 1_000_000;
const severities = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];

export type Seeded = {
  email: string;
  tenantId: number;
  /** Pushes alerts that happen now. */
  push(count: number): Promise<void>;
};

/** A tenant with a manager, a contract and so many alerts of the last day. */
export async function seedConsole({ ok }: Product, alerts: number): Promise<Seeded> {
  const tenant = await ok('POST', 'tenant', { name: 'Bench' });
  const limits = ['Users', 'Contracts', 'Projects', 'Triggers', 'Detectors', 'Wallets', 'Actions', 'ApiKeys'];
  const plan = await ok('POST', 'plan', {
    name: 'bench',
    ...Object.fromEntries(limits.map((name) => [`max${name}`, 100])),
    maxPushedAlerts: most,
  });
  await ok('POST', 'subscription', {
    tenantId: tenant.id,
    planId: plan.id,
    expirationDate: Date.now() + 86_400_000,
  });
  const email = 'bench@example.com';
  const roles = ['tenant-manager'];
  await ok('POST', 'user', { tenantId: tenant.id, name: 'Bench', email, password, roles });
  const project = await ok('POST', 'project', { tenantId: tenant.id, name: 'Bench' });
  const contract = await ok('POST', 'contract', {
    projectId: project.id,
    name: 'Vault',
    chainUid: 'ethereum',
    address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  });
  const schema = await ok('POST', 'detector/schema', { title: 'Engine', name: 'engine', version: '1.0.0' });
  const detector = await ok('POST', 'detector', {
    contractId: contract.id,
    schemaId: schema.id,
    name: 'Engine',
    source: 'EXTERNAL',
  });
  let last = 0;
  const make = (timestamp: number) => {
    last += 1;
    return {
      eid: `e-${last}`,
      timestamp,
      severity: severities[last % severities.length],
      name: last % 3 === 0 ? 'Large transfer' : 'Ownership change',
      message: `0x${String(last).padStart(40, '0')} moved ${last * 17}.5 VGL out of the vault.`,
      meta: { from: `0x${String(last).padStart(40, '0')}`, amount: `${last * 17}.5`, symbol: 'VGL' },
      tags: [`batch-${last % 7}`],
    };
  };
  const push = async (items: ReturnType<typeof make>[]) => {
    for (let at = 0; at < items.length; at += 1000)
      await ok('POST', `detector/${detector.id}/alert`, { alerts: items.slice(at, at + 1000) });
  };
  const began = Date.now();
  const day = 20 * 3_600_000;
  await push(Array.from({ length: alerts }, (_, n) => make(began - day + Math.floor((day * n) / alerts))));
  return {
    email,
    tenantId: tenant.id,
    push: (count) => push(Array.from({ length: count }, () => make(Date.now()))),
  };
}
