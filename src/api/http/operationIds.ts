import type { Endpoint } from './endpoint.ts';

const verbs = { GET: 'get', POST: 'create', PUT: 'update', DELETE: 'delete' } as const;

/** Operations that the rules would name badly, or alike. */
const ownNames: Readonly<Record<string, string>> = {
  'GET /auth/setup': 'setupState',
  'POST /auth/setup': 'setUp',
  'GET /auth/apikey': 'currentApikey',
  'POST /auth/password': 'changePassword',
  'DELETE /user/{id}/session': 'endUserSessions',
  'GET /share': 'listShares',
  'GET /chain': 'listChains',
  'GET /fault': 'listFaults',
  'GET /audit': 'listAuditEntries',
  'GET /telemetry/metric': 'listMetrics',
  'POST /chain/{uid}/endpoint/try': 'tryNewChainEndpoint',
  'POST /chain/{uid}/endpoint/{endpointUid}/try': 'tryChainEndpoint',
  'POST /detector/{id}/alert': 'pushDetectorAlerts',
  'POST /detector/backtest': 'backtestNewDetector',
  'POST /detector/{id}/backtest': 'backtestDetector',
  'POST /destination/{id}/confirm': 'sendDestinationConfirmation',
  'POST /destination/confirm/{code}': 'confirmDestination',
  'POST /action/halt': 'haltActions',
  'POST /action/resume': 'resumeActions',
  'POST /alert/{uid}/acknowledge': 'acknowledgeAlert',
  'DELETE /alert/{uid}/acknowledge': 'unacknowledgeAlert',
  'POST /incident/{uid}/acknowledge': 'acknowledgeIncident',
  'DELETE /incident/{uid}/acknowledge': 'unacknowledgeIncident',
  'POST /incident/{uid}/escalate': 'escalateIncident',
  'GET /incident/{uid}/escalation': 'listIncidentEscalations',
  'GET /contact': 'listContacts',
  'PUT /contact': 'updateContact',
  'PUT /user/{id}/contact': 'updateUserContact',
  'GET /schedule/{id}/calendar': 'scheduleCalendar',
  'POST /schedule/{id}/calendar': 'createScheduleCalendar',
  'DELETE /schedule/{id}/calendar': 'endScheduleCalendar',
  'POST /schedule/{id}/import': 'importSchedule',
  'GET /calendar/{code}': 'calendar',
  'POST /destination/{id}/callback': 'destinationCallback',
  'GET /link/{code}': 'getLink',
  'POST /link/{code}': 'useLink',
  'POST /alert/resolve': 'resolveAlerts',
  'POST /alert/tag': 'tagAlerts',
  'POST /alert/assign': 'assignAlerts',
  'POST /label/import': 'importLabels',
  'POST /label/import/sanctions': 'importSanctions',
  'PUT /score/{index}/{uid}': 'updateScore',
};
/** Last words of paths that say what is done to the record before them. */
const deeds =
  /^(\w+?)(Accept|Approve|Cancel|Execute|Explain|Inspect|Preview|Recommend|Rehearse|Reject|Replay|Resume|Rotate|Simulate|Test|Try)$/;

/** The names that programs have for the operations, such as `createContract`, `searchContracts` and `contractHistogram`. */
export function operationIds(endpoints: readonly Endpoint[]): (endpoint: Endpoint) => string {
  const paths = new Set(endpoints.map(({ method, path }) => `${method} ${path}`));
  return ({ method, path }) => {
    const given = ownNames[`${method} ${path}`];
    if (given !== undefined) return given;
    const words = wordsOf(path);
    const search = /^(\w+)Search$/.exec(words)?.[1];
    if (method === 'POST' && search !== undefined) return `search${plural(capital(search))}`;
    const batch = /^(\w+)Batch$/.exec(words)?.[1];
    if (method === 'POST' && batch !== undefined) return `create${plural(capital(batch))}`;
    const [, record, deed] = deeds.exec(words) ?? [];
    if (method === 'POST' && record !== undefined && deed !== undefined)
      return `${deed.toLowerCase()}${capital(record)}`;
    const isOne = path.endsWith('}');
    const isRecord = isOne || ['GET', 'PUT', 'DELETE'].some((one) => hasOne(paths, one, path));
    if (!isRecord) return words;
    return method === 'GET' && !isOne ? `list${plural(capital(words))}` : `${verbs[method]}${capital(words)}`;
  };
}

function hasOne(paths: ReadonlySet<string>, method: string, path: string): boolean {
  return ['id', 'uid', 'endpointUid', 'sessionId', 'projectId'].some((name) =>
    paths.has(`${method} ${path}/{${name}}`),
  );
}

/** The words of a path without its parameters: `contractHistogram`. */
function wordsOf(path: string): string {
  const words = path.split('/').filter((word) => word !== '' && !word.startsWith('{'));
  return words
    .map((word, index) =>
      (index === 0 ? word : capital(word)).replaceAll(/[^a-zA-Z0-9](\w)/g, (_, letter: string) =>
        letter.toUpperCase(),
      ),
    )
    .join('');
}

function plural(word: string): string {
  return /[^e]y$/.test(word) ? word.replace(/y$/, 'ies') : /(?:meta|s)$/i.test(word) ? word : `${word}s`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
