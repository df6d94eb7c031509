import {
  type IngestRole,
  ingestRole,
  type OrganisationRole,
  organisationRoles,
  type Role,
  type TenantRole,
  tenantRoles,
} from '../../model/principal.ts';

/**
 * Lowest sufficient role of each ladder, or `public`. Administrators may call everything. Vigil does not start with an
 * endpoint that has no row here, or a row without an endpoint.
 */
const table = {
  'POST /auth/login': 'public',
  'GET /auth/setup': 'public',
  'POST /auth/setup': 'public',
  'POST /auth/refresh': ['tenant-viewer', 'organisation-viewer'],
  'POST /auth/cookie': ['tenant-viewer', 'organisation-viewer'],
  'POST /auth/logout': ['tenant-viewer', 'organisation-viewer'],
  'GET /auth/me': ['tenant-viewer', 'organisation-viewer'],
  'GET /auth/session': ['tenant-viewer', 'organisation-viewer'],
  'DELETE /auth/session/{sessionId}': ['tenant-viewer', 'organisation-viewer'],
  'GET /auth/apikey': ['tenant-viewer', 'organisation-viewer'],
  'POST /auth/password': ['tenant-viewer', 'organisation-viewer'],

  'POST /organisation': [],
  'GET /organisation/{id}': ['tenant-viewer', 'organisation-viewer'],
  'PUT /organisation/{id}': [],
  'DELETE /organisation/{id}': [],
  'POST /organisation/search': ['tenant-viewer', 'organisation-viewer'],

  'POST /tenant': [],
  'GET /tenant/{id}': ['tenant-viewer', 'organisation-viewer'],
  'PUT /tenant/{id}': [],
  'DELETE /tenant/{id}': [],
  'POST /tenant/search': ['tenant-viewer', 'organisation-viewer'],

  'POST /user': [],
  'GET /user/{id}': ['tenant-manager', 'organisation-manager'],
  'PUT /user/{id}': ['tenant-manager', 'organisation-manager'],
  'DELETE /user/{id}': ['tenant-manager', 'organisation-manager'],
  'DELETE /user/{id}/session': ['tenant-manager', 'organisation-manager'],
  'PUT /user/{id}/contact': ['tenant-manager'],
  'POST /user/search': ['tenant-manager', 'organisation-manager'],

  'POST /apikey': ['tenant-manager'],
  'GET /apikey/{id}': ['tenant-manager'],
  'PUT /apikey/{id}': ['tenant-manager'],
  'DELETE /apikey/{id}': ['tenant-manager'],
  'POST /apikey/search': ['tenant-manager'],

  'POST /invite': ['tenant-manager', 'organisation-manager'],
  'GET /invite/{id}': ['tenant-manager', 'organisation-manager'],
  'DELETE /invite/{id}': ['tenant-manager', 'organisation-manager'],
  'POST /invite/search': ['tenant-manager', 'organisation-manager'],
  'POST /invite/{uid}/accept': 'public',

  'POST /project': ['tenant-manager'],
  'GET /project/{id}': ['tenant-viewer', 'organisation-viewer'],
  'PUT /project/{id}': ['tenant-manager'],
  'DELETE /project/{id}': ['tenant-manager'],
  'POST /project/search': ['tenant-viewer', 'organisation-viewer'],

  'GET /share': ['tenant-viewer'],
  'POST /share/{projectId}/accept': ['tenant-manager'],
  'DELETE /share/{projectId}': ['tenant-manager'],

  'POST /contract': ['tenant-user'],
  'POST /contract/batch': ['tenant-user'],
  'GET /contract/{id}': ['tenant-viewer', 'organisation-viewer'],
  'PUT /contract/{id}': ['tenant-user'],
  'DELETE /contract/{id}': ['tenant-manager'],
  'POST /contract/search': ['tenant-viewer', 'organisation-viewer'],
  'GET /contract/{id}/signature': ['tenant-viewer', 'organisation-viewer'],
  'POST /contract/inspect': ['tenant-viewer'],
  'POST /contract/{id}/recommend': ['tenant-user'],

  'POST /wallet': ['tenant-manager'],
  'GET /wallet/{id}': ['tenant-viewer'],
  'PUT /wallet/{id}': ['tenant-manager'],
  'DELETE /wallet/{id}': ['tenant-manager'],
  'POST /wallet/search': ['tenant-viewer'],
  'POST /wallet/{id}/rotate': ['tenant-manager'],
  'GET /wallet/{id}/balance': ['tenant-viewer'],

  'POST /destination': ['tenant-user'],
  'GET /destination/{id}': ['tenant-viewer'],
  'PUT /destination/{id}': ['tenant-user'],
  'DELETE /destination/{id}': ['tenant-manager'],
  'POST /destination/search': ['tenant-viewer'],

  'GET /destination/kind': ['tenant-viewer'],
  'POST /destination/{id}/confirm': ['tenant-user'],
  'POST /destination/confirm/{code}': 'public',
  'GET /link/{code}': 'public',
  'POST /link/{code}': 'public',
  'POST /destination/{id}/callback': 'public',
  'POST /destination/{id}/test': ['tenant-user'],
  'POST /destination/{id}/preview': ['tenant-viewer'],
  'POST /destination/{id}/secret': ['tenant-user'],
  'GET /destination/{id}/delivery': ['tenant-viewer'],
  'GET /destination/{id}/binding': ['tenant-viewer'],
  'POST /delivery/{uid}/replay': ['tenant-user'],

  'POST /detector': ['tenant-user'],
  'POST /detector/batch': ['tenant-user'],
  'GET /detector/{id}': ['tenant-viewer'],
  'PUT /detector/{id}': ['tenant-user'],
  'DELETE /detector/{id}': ['tenant-manager'],
  'POST /detector/search': ['tenant-viewer'],

  'POST /detector/schema': [],
  'GET /detector/schema/{id}': ['tenant-viewer', 'organisation-viewer'],
  'PUT /detector/schema/{id}': [],
  'DELETE /detector/schema/{id}': [],
  'POST /detector/schema/search': ['tenant-viewer', 'organisation-viewer'],

  'POST /trigger': ['tenant-user'],
  'POST /trigger/batch': ['tenant-user'],
  'GET /trigger/{id}': ['tenant-viewer'],
  'PUT /trigger/{id}': ['tenant-user'],
  'DELETE /trigger/{id}': ['tenant-manager'],
  'POST /trigger/search': ['tenant-viewer'],
  'POST /trigger/schema/search': ['tenant-viewer', 'organisation-viewer'],

  'POST /action': ['tenant-user'],
  'POST /action/batch': ['tenant-user'],
  'GET /action/{id}': ['tenant-viewer'],
  'PUT /action/{id}': ['tenant-user'],
  'DELETE /action/{id}': ['tenant-manager'],
  'POST /action/search': ['tenant-viewer'],
  'POST /action/{id}/simulate': ['tenant-viewer'],
  'POST /action/{id}/rehearse': ['tenant-viewer'],
  'POST /action/{id}/execute': ['tenant-user'],
  'GET /action/{id}/intent': ['tenant-viewer'],
  'POST /action/halt': ['tenant-user'],
  'POST /action/resume': ['tenant-manager'],
  'GET /action/halt': ['tenant-viewer'],

  'GET /approval/{id}': ['tenant-viewer'],
  'POST /approval/search': ['tenant-viewer'],
  'POST /approval/{id}/approve': ['tenant-user'],
  'POST /approval/{id}/reject': ['tenant-user'],

  'POST /label': ['tenant-user'],
  'POST /label/batch': ['tenant-user'],
  'GET /label/{id}': ['tenant-viewer'],
  'PUT /label/{id}': ['tenant-user'],
  'DELETE /label/{id}': ['tenant-manager'],
  'POST /label/search': ['tenant-viewer'],
  'POST /label/import': ['tenant-user'],
  'POST /label/import/sanctions': ['tenant-manager'],

  'POST /view': ['tenant-viewer'],
  'GET /view/{id}': ['tenant-viewer'],
  'PUT /view/{id}': ['tenant-viewer'],
  'DELETE /view/{id}': ['tenant-viewer'],
  'POST /view/search': ['tenant-viewer'],

  'POST /timeset': ['tenant-user'],
  'GET /timeset/{id}': ['tenant-viewer'],
  'PUT /timeset/{id}': ['tenant-user'],
  'DELETE /timeset/{id}': ['tenant-manager'],
  'POST /timeset/search': ['tenant-viewer'],
  'GET /timeset/{id}/state': ['tenant-viewer'],

  'POST /silence': ['tenant-user'],
  'GET /silence/{id}': ['tenant-viewer'],
  'PUT /silence/{id}': ['tenant-user'],
  'POST /silence/search': ['tenant-viewer'],
  'POST /silence/preview': ['tenant-viewer'],
  'POST /alert/silenced': ['tenant-viewer'],

  'POST /schedule': ['tenant-user'],
  'GET /schedule/{id}': ['tenant-viewer'],
  'PUT /schedule/{id}': ['tenant-user'],
  'DELETE /schedule/{id}': ['tenant-manager'],
  'POST /schedule/search': ['tenant-viewer'],
  'GET /schedule/{id}/on-call': ['tenant-viewer'],
  'GET /schedule/{id}/shifts': ['tenant-viewer'],
  'GET /schedule/{id}/calendar': ['tenant-viewer'],
  'POST /schedule/{id}/calendar': ['tenant-user'],
  'DELETE /schedule/{id}/calendar': ['tenant-user'],
  'POST /schedule/{id}/import': ['tenant-user'],
  'GET /calendar/{code}': 'public',

  'POST /escalationchain': ['tenant-user'],
  'GET /escalationchain/{id}': ['tenant-viewer'],
  'PUT /escalationchain/{id}': ['tenant-user'],
  'DELETE /escalationchain/{id}': ['tenant-manager'],
  'POST /escalationchain/search': ['tenant-viewer'],
  'GET /contact': ['tenant-viewer'],
  'PUT /contact': ['tenant-viewer'],
  'POST /incident/{uid}/escalate': ['tenant-user'],
  'GET /incident/{uid}/escalation': ['tenant-viewer'],

  'POST /route': ['tenant-user'],
  'GET /route/{id}': ['tenant-viewer'],
  'PUT /route/{id}': ['tenant-user'],
  'DELETE /route/{id}': ['tenant-manager'],
  'POST /route/search': ['tenant-viewer'],
  'POST /route/try': ['tenant-viewer'],

  'POST /inhibition': ['tenant-user'],
  'GET /inhibition/{id}': ['tenant-viewer'],
  'PUT /inhibition/{id}': ['tenant-user'],
  'DELETE /inhibition/{id}': ['tenant-manager'],
  'POST /inhibition/search': ['tenant-viewer'],

  'POST /plannedchange': ['tenant-manager'],
  'GET /plannedchange/{id}': ['tenant-viewer'],
  'POST /plannedchange/search': ['tenant-viewer'],
  'POST /plannedchange/{id}/confirm': ['tenant-manager'],
  'POST /plannedchange/{id}/cancel': ['tenant-user'],
  'GET /plannedchange/{id}/alert': ['tenant-viewer'],

  'POST /license': ['organisation-user'],
  'GET /license/{id}': ['tenant-viewer', 'organisation-viewer'],
  'PUT /license/{id}': ['organisation-user'],
  'DELETE /license/{id}': ['organisation-manager'],
  'POST /license/search': ['tenant-viewer', 'organisation-viewer'],

  'POST /score/group': ['organisation-user'],
  'GET /score/group/{id}': ['tenant-viewer', 'organisation-viewer'],
  'PUT /score/group/{id}': ['organisation-user'],
  'DELETE /score/group/{id}': ['organisation-manager'],
  'POST /score/group/search': ['tenant-viewer', 'organisation-viewer'],

  'POST /instance': ['organisation-user'],
  'GET /instance/{id}': ['tenant-viewer', 'organisation-viewer'],
  'PUT /instance/{id}': ['organisation-user'],
  'DELETE /instance/{id}': ['organisation-manager'],
  'POST /instance/search': ['tenant-viewer', 'organisation-viewer'],

  'POST /instance/meta': ['organisation-user'],
  'GET /instance/meta/{id}': ['tenant-viewer', 'organisation-viewer'],
  'PUT /instance/meta/{id}': ['organisation-user'],
  'DELETE /instance/meta/{id}': ['organisation-manager'],
  'POST /instance/meta/search': ['tenant-viewer', 'organisation-viewer'],

  'POST /plan': [],
  'GET /plan/{id}': ['tenant-viewer', 'organisation-viewer'],
  'PUT /plan/{id}': [],
  'DELETE /plan/{id}': [],
  'POST /plan/search': ['tenant-viewer', 'organisation-viewer'],

  'POST /subscription': [],
  'GET /subscription/{id}': ['tenant-viewer'],
  'PUT /subscription/{id}': [],
  'DELETE /subscription/{id}': [],
  'POST /subscription/search': ['tenant-viewer'],

  'POST /tokenomics/category': ['tenant-user'],
  'GET /tokenomics/category/{id}': ['tenant-viewer'],
  'PUT /tokenomics/category/{id}': ['tenant-user'],
  'DELETE /tokenomics/category/{id}': ['tenant-manager'],
  'POST /tokenomics/category/search': ['tenant-viewer'],

  'POST /tokenomics/schedule': ['tenant-user'],
  'GET /tokenomics/schedule/{id}': ['tenant-viewer'],
  'PUT /tokenomics/schedule/{id}': ['tenant-user'],
  'DELETE /tokenomics/schedule/{id}': ['tenant-manager'],
  'POST /tokenomics/schedule/search': ['tenant-viewer'],

  'GET /contract/{id}/holdings': ['tenant-viewer', 'organisation-viewer'],
  'GET /contract/{id}/facts': ['tenant-viewer', 'organisation-viewer'],
  'GET /contract/{id}/tokenomics': ['tenant-viewer', 'organisation-viewer'],

  'POST /contract/{id}/action/alert/search': ['tenant-viewer', 'organisation-viewer'],
  'POST /contract/{id}/trigger/alert/search': ['tenant-viewer', 'organisation-viewer'],
  'POST /contract/{id}/detector/alert/search': ['tenant-viewer', 'organisation-viewer'],
  'POST /project/{id}/alert/search': ['tenant-viewer', 'organisation-viewer'],
  'POST /alert/search': ['tenant-viewer', 'organisation-viewer'],
  'POST /action/alert/aggregation': ['tenant-viewer', 'organisation-viewer'],
  'POST /alert/aggregation': ['tenant-viewer', 'organisation-viewer'],
  'GET /alert/stream': ['tenant-viewer'],
  'GET /alert/{uid}': ['tenant-viewer', 'organisation-viewer'],
  'PUT /alert/{uid}': ['tenant-user'],
  'POST /alert/{uid}/acknowledge': ['tenant-user'],
  'DELETE /alert/{uid}/acknowledge': ['tenant-user'],
  'GET /alert/{uid}/outcome': ['tenant-viewer'],
  'POST /alert/{uid}/preview': ['tenant-viewer'],
  'GET /alert/{uid}/trace': ['tenant-viewer', 'organisation-viewer'],
  'POST /alert/resolve': ['tenant-user'],
  'POST /alert/tag': ['tenant-user'],
  'POST /alert/assign': ['tenant-user'],
  'GET /alert/{uid}/comment': ['tenant-viewer'],
  'POST /alert/{uid}/comment': ['tenant-user'],
  'DELETE /alert/{uid}/comment/{id}': ['tenant-user'],
  'GET /suggest': ['tenant-viewer', 'organisation-viewer'],
  'GET /incident': ['tenant-viewer'],
  'POST /incident/search': ['tenant-viewer'],
  'GET /incident/{uid}': ['tenant-viewer'],
  'GET /incident/{uid}/story': ['tenant-viewer'],
  'GET /incident/{uid}/report': ['tenant-viewer'],
  'PUT /incident/{uid}': ['tenant-user'],
  'POST /incident/{uid}/acknowledge': ['tenant-user'],
  'DELETE /incident/{uid}/acknowledge': ['tenant-user'],
  'POST /detector/{id}/alert': [ingestRole, 'tenant-user'],
  'POST /detector/backtest': ['tenant-user'],
  'POST /detector/{id}/backtest': ['tenant-user'],
  'GET /backtest/{uid}': ['tenant-viewer'],
  'POST /backtest/{uid}/cancel': ['tenant-user'],
  'POST /detector/{id}/explain': ['tenant-viewer'],
  'GET /detector/{id}/fault': ['tenant-viewer'],
  'GET /detector/{id}/quality': ['tenant-viewer'],
  'POST /contract/{id}/histogram': ['tenant-viewer', 'organisation-viewer'],
  'POST /instance/{id}/score/search': ['tenant-viewer', 'organisation-viewer'],
  'GET /instance/{id}/score': ['tenant-viewer', 'organisation-viewer'],
  'POST /instance/{id}/resume': ['organisation-user'],
  'PUT /score/{index}/{uid}': ['tenant-user', 'organisation-user'],
  'POST /license/{id}/try': ['tenant-user', 'organisation-user'],
  'POST /tenant/{id}/dashboard/usage': ['tenant-viewer', 'organisation-viewer'],
  'POST /tenant/telemetry': ['tenant-viewer', 'organisation-viewer'],
  'GET /telemetry/metric': ['tenant-viewer', 'organisation-viewer'],
  'GET /heartbeat': [],

  'GET /chain': ['tenant-viewer', 'organisation-viewer'],
  'POST /chain': [],
  'GET /chain/{uid}': ['tenant-viewer', 'organisation-viewer'],
  'PUT /chain/{uid}': [],
  'DELETE /chain/{uid}': [],
  'GET /chain/{uid}/endpoint': [],
  'POST /chain/{uid}/endpoint': [],
  'PUT /chain/{uid}/endpoint/{endpointUid}': [],
  'DELETE /chain/{uid}/endpoint/{endpointUid}': [],
  'POST /chain/{uid}/endpoint/try': [],
  'POST /chain/{uid}/endpoint/{endpointUid}/try': [],
  'GET /fault': ['tenant-viewer'],
  'GET /audit': ['tenant-manager'],
  'GET /audit/export': ['tenant-manager'],
  'GET /audit/checkpoint': ['tenant-manager'],
} as const satisfies Record<string, Access>;

export type Access = 'public' | readonly (IngestRole | TenantRole | OrganisationRole)[];

const rows: Readonly<Record<string, Access>> = table;

export function accessOf(endpoint: { method: string; path: string }): Access {
  const key = `${endpoint.method} ${endpoint.path}`;
  const access = rows[key];
  if (!access) throw new Error(`The endpoint ${key} has no row in the access table.`);
  return access;
}

/** Rows that name no endpoint: a right that no one can use, or a typo that hides a missing row. */
export function unusedRows(endpoints: readonly { method: string; path: string }[]): string[] {
  const served = new Set(endpoints.map(({ method, path }) => `${method} ${path}`));
  return Object.keys(rows).filter((key) => !served.has(key));
}

/** Every role that may call; for the documents and the tests. */
export function allowedRoles(access: Access): readonly Role[] | 'public' {
  if (access === 'public') return 'public';
  return [...ladders.flat().filter((role) => isEnough(access, role)), 'admin'];
}

const ladders: readonly (readonly Role[])[] = [[ingestRole], tenantRoles, organisationRoles];

export function isEnough(access: readonly Role[], role: Role): boolean {
  return ladders.some((ladder) => {
    const least = access.map((word) => ladder.indexOf(word)).find((rank) => rank >= 0);
    return least !== undefined && ladder.indexOf(role) >= least;
  });
}
