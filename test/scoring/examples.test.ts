import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Severity } from '../../src/model/alert.ts';
import { severityOf } from '../../src/model/alert.ts';
import { readLicenseTerms } from '../../src/model/licenseTerms.ts';
import type { AlertEvent, ScoreEvent } from '../../src/model/score.ts';
import { type ScoringLicense, scoreEvent } from '../../src/scoring/scoreEvent.ts';
import { createSandbox } from '../../src/scripts/sandbox.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';

const folder = join(import.meta.dirname, '..', '..', 'examples', 'licenses');
const read = (name: string): Json => JSON.parse(readFileSync(join(folder, name), 'utf8'));

const sandbox = createSandbox();
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  await sandbox.close();
  await api.stop();
});

describe('the example licenses', () => {
  it.each(readdirSync(folder))('%s is taken as it is', async (name) => {
    const { license, scoreGroups } = read(name);
    const made = await api.ok('POST', 'license', license);
    for (const group of scoreGroups) await api.ok('POST', 'score/group', { licenseId: made.id, ...group });
    expect((await api.ok('GET', `license/${made.id}`)).scoreGroups).toMatchObject(scoreGroups);
  });

  it('score security: alerts take away by severity, in the group that they belong to, and a day gives back', async () => {
    const run = scorer('security-score.json');
    expect(await run(alert('flash_loan', 'SECURITY', 'CRITICAL'))).toEqual({ attack: 80 });
    expect(await run(alert('ownership_change', 'SECURITY', 'HIGH'))).toEqual({ attack: 80, control: 93 });
    expect(await run(alert('flash_loan', 'SECURITY', 'INFO'))).toEqual({ attack: 80, control: 93 });
    expect(await run(alert('aml', 'COMPLIANCE', 'CRITICAL'))).toEqual({ attack: 80, control: 93 });
    expect(await run({ type: 'tick', timestamp: 1 })).toEqual({ attack: 81, control: 94 });
    for (let n = 0; n < 30; n++) await run({ type: 'tick', timestamp: 1 });
    expect(await run({ type: 'tick', timestamp: 1 })).toEqual({ attack: 100, control: 100 });
  });

  it('score the compliance of a token: supply weighs more than parties, and a week heals a tenth', async () => {
    const run = scorer('token-compliance-score.json');
    expect(await run(alert('total_supply', 'COMPLIANCE', 'HIGH'))).toEqual({ supply: 720 });
    expect(await run(alert('aml', 'COMPLIANCE', 'CRITICAL'))).toEqual({ supply: 720, parties: 820 });
    expect(await run(alert('flash_loan', 'SECURITY', 'CRITICAL'))).toEqual({ supply: 720, parties: 820 });
    expect(await run(alert('depeg', 'COMPLIANCE', 'LOW'))).toEqual({ supply: 600, parties: 760 });
    expect(await run({ type: 'tick', timestamp: 1 })).toEqual({ supply: 640, parties: 784 });
  });
});

/** Scores one event after the other and shows the scores that have changed so far. */
function scorer(name: string): (event: ScoreEvent) => Promise<Record<string, number>> {
  const { license, scoreGroups } = read(name);
  const ready: ScoringLicense = {
    terms: readLicenseTerms(license.params),
    groupScript: license.groupScript,
    scoreScript: license.scoreScript,
    scoreGroups: scoreGroups.map((group: Json) => ({ name: group.name, status: 'ACTIVE' })),
  };
  const standing = new Map<string, number>();
  return async (event) => {
    const scored = await scoreEvent(sandbox.run, 1, ready, standing, event);
    if ('fault' in scored) throw new Error(scored.fault.message);
    for (const { scoreGroup, score } of scored.changes) standing.set(scoreGroup, score);
    return Object.fromEntries(standing);
  };
}

function alert(detectorSchemaName: string, group: AlertEvent['group'], severity: Severity): AlertEvent {
  return {
    type: 'alert',
    uid: '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071',
    kind: 'detector',
    group,
    severity,
    numericSeverity: severityOf[severity],
    timestamp: 1,
    eid: 'e',
    name: 'Alert',
    message: 'Something happened.',
    meta: {},
    tags: [],
    tenantId: 1,
    projectId: 1,
    contractId: 1,
    txHash: null,
    chainUid: null,
    blockNumber: null,
    blockHash: null,
    detectorId: 1,
    triggerId: null,
    actionId: null,
    walletId: null,
    walletName: null,
    walletChainUid: null,
    walletAddress: null,
    interceptorType: null,
    triggerType: null,
    suppressed: false,
    backfilled: false,
    detectorSchemaName,
  };
}
