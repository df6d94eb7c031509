import { retractBlocks } from '../../../src/alerts/retractBlocks.ts';
import type { ScoreFault } from '../../../src/model/score.ts';
import { createScoreOnAlerts, createScoreOnRetractions } from '../../../src/scoring/scoreOnAlerts.ts';
import { startScorer } from '../../../src/scoring/startScorer.ts';
import { createSandbox, type Sandbox } from '../../../src/scripts/sandbox.ts';
import { listen } from '../../../src/store/db/listen.ts';
import { addSource } from '../../../testing/addSource.ts';
import { type Json, startTestApi, type TestApi } from '../../../testing/startTestApi.ts';
import { until } from '../../../testing/until.ts';

export type ScoreWorld = TestApi & {
  organisationId: number;
  tenantId: number;
  projectId: number;
  contractId: number;
  detectorId: number;
  sandbox: Sandbox;
  errors: unknown[];
  /** Faults as they were reported. */
  faults: ScoreFault[];
  /** Starts one more process that scores. */
  work(): { stop(): Promise<void> };
  /** A license with its groups, and an instance of it that scores from 2009 on. */
  license(members: Json, groups?: readonly string[]): Promise<{ licenseId: number; instanceId: number }>;
  push(...alerts: Json[]): Promise<string[]>;
  /** The blocks with these hashes are gone. */
  retract(...blocks: { number: number; hash: string }[]): Promise<void>;
  score(instanceId: number, query?: string): Promise<Json>;
  /** Every change of an instance in order, once nothing waits any more. */
  changes(instanceId: number): Promise<Json[]>;
};

let count = 0;

/** A tenant with a detector that alerts are pushed into, under an organisation that grants licenses. */
export async function startScoreWorld(): Promise<ScoreWorld> {
  let now = Date.now;
  const api = await startTestApi({ alertHooks: [createScoreOnAlerts({ now: () => now() })] });
  now = api.services.now;
  const sandbox = createSandbox();
  const workers = new Set<{ stop(): Promise<void> }>();
  const errors: unknown[] = [];
  const faults: ScoreFault[] = [];

  const organisation = await api.ok('POST', 'organisation', { name: 'Auditors' });
  const tenant = await api.ok('POST', 'tenant', { name: 'Vaults', organisationId: organisation.id });
  const source = await addSource(api, tenant.id);

  const score = (instanceId: number, query = '') => api.ok('GET', `instance/${instanceId}/score${query}`);

  return {
    ...api,
    organisationId: organisation.id,
    ...source,
    sandbox,
    errors,
    faults,
    score,
    work() {
      const worker = startScorer({
        store: api.store,
        run: sandbox.run,
        listen: (onNotify) => listen(api.connection, 'vigil_score', onNotify),
        onScored: (_lane, { fault }) => {
          if (fault) faults.push(fault);
        },
        now: () => now(),
        onError: (error) => errors.push(error),
      });
      workers.add(worker);
      return worker;
    },
    async license(members, groups = []) {
      const version = `${++count}`;
      const license = await api.ok('POST', 'license', { name: 'Score', version, ...members });
      for (const name of groups) await api.ok('POST', 'score/group', { licenseId: license.id, name });
      const instance = await api.ok('POST', 'instance', {
        licenseId: license.id,
        organisationId: organisation.id,
        projectId: source.projectId,
        licenseStatus: 'LICENCED',
      });
      await api.ok('POST', 'instance/meta', {
        licenseInstanceId: instance.id,
        startedAt: '2009-01-01T00:00:00Z',
      });
      return { licenseId: license.id, instanceId: instance.id };
    },
    async push(...alerts) {
      const whole = alerts.map((alert) => ({ eid: `finding ${++count}`, message: 'Found.', ...alert }));
      const { results } = await api.ok('POST', `detector/${source.detectorId}/alert`, { alerts: whole });
      return results.map(({ uid }: Json) => uid);
    },
    async retract(...blocks) {
      await api.store.transaction((tx) =>
        retractBlocks(tx, { chainUid: 'ethereum', blocks, now: now() }, [
          createScoreOnRetractions({ now: () => now() }),
        ]),
      );
    },
    async changes(instanceId) {
      await until(async () => (await score(instanceId)).waiting === 0);
      const sort = [{ field: 'i' }];
      return (await api.ok('POST', `instance/${instanceId}/score/search`, { size: 10_000, sort })).data;
    },
    stop: async () => {
      await Promise.all([...workers].map((worker) => worker.stop()));
      await sandbox.close();
      await api.stop();
    },
  };
}
