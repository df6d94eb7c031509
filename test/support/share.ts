import type { TestApi } from '../../testing/startTestApi.ts';

/** Shares a project with tenants, which accept it. */
export async function share(
  api: Pick<TestApi, 'ok'>,
  projectId: number,
  tenantIds: readonly number[],
): Promise<void> {
  await api.ok('PUT', `project/${projectId}`, { viewTenantIds: tenantIds });
  for (const tenantId of tenantIds) await api.ok('POST', `share/${projectId}/accept`, { tenantId });
}
