import type { TestWatch } from '../../../testing/startTestWatch.ts';

const kinds = ['Users', 'Contracts', 'Projects', 'Triggers', 'Detectors', 'Wallets', 'Actions', 'ApiKeys'];

/** Lets the tenant have more records than the plan of new tenants does. */
export async function addRoomyPlan({ ok, tenantId }: TestWatch): Promise<void> {
  const limits = Object.fromEntries(kinds.map((kind) => [`max${kind}`, 1000]));
  const { id: planId } = await ok('POST', 'plan', { name: 'Roomy', ...limits });
  await ok('POST', 'subscription', { tenantId, planId, expirationDate: Date.now() + 86_400_000 });
}
