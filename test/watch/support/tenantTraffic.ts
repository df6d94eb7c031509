import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApi } from '../../../testing/startTestApi.ts';

export type Sample = {
  tenantId: number;
  kind: 'search' | 'record' | 'push';
  sentAt: number;
  ms: number;
  status: number;
  detail: string | undefined;
  retryAfter: number;
};

/** Clients of each tenant that push, search and read one after the other, whatever they are answered. */
export async function startTraffic(
  api: Pick<TestApi, 'call' | 'token'>,
  engines: ReadonlyMap<number, number>,
  clients = 1,
) {
  const samples: Sample[] = [];
  /** The eids of findings that were acknowledged, with their tenants. */
  const acknowledged = new Map<string, number>();
  const stopping = new AbortController();
  let count = 0;

  async function repeat(
    tenantId: number,
    kind: Sample['kind'],
    ask: () => ReturnType<TestApi['call']>,
  ): Promise<void> {
    while (!stopping.signal.aborted) {
      const sentAt = performance.now();
      const { status, body, headers } = await ask();
      const retryAfter = Number(headers.get('retry-after'));
      samples.push({
        tenantId,
        kind,
        sentAt,
        ms: performance.now() - sentAt,
        status,
        detail: body?.detail,
        retryAfter,
      });
      await sleep(20);
    }
  }

  const loops = await Promise.all(
    [...engines].flatMap(([tenantId, detectorId]) =>
      Array.from({ length: clients }, async () => {
        const token = await api.token(tenantId, 'tenant-user');
        const push = async () => {
          const eid = `traffic ${tenantId} ${++count}`;
          const alerts = [{ eid, message: 'Found outside' }];
          const answer = await api.call('POST', `detector/${detectorId}/alert`, { alerts }, { token });
          if (answer.status < 300) acknowledged.set(eid, tenantId);
          return answer;
        };
        const query = { query: 'name:ownership_change', size: 10 };
        return [
          () => repeat(tenantId, 'push', push),
          () => repeat(tenantId, 'search', () => api.call('POST', 'alert/search', query, { token })),
          () =>
            repeat(tenantId, 'record', () => api.call('GET', `detector/${detectorId}`, undefined, { token })),
        ];
      }),
    ),
  );
  const running = Promise.all(loops.flat().map((loop) => loop()));
  return {
    samples,
    acknowledged,
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}

/** A line of a table: how many answers, p50 and p95 in ms, and their statuses. */
export function summarize(samples: readonly Sample[]): string {
  const statuses = new Map<number, number>();
  for (const { status } of samples) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const counts = Array.from(statuses, ([status, number]) => `${number} x ${status}`);
  const [p50, p95, max] = [0.5, 0.95, 1].map((share) => Math.round(percentile(samples, share)));
  return `${samples.length} answers, p50 ${p50}, p95 ${p95}, max ${max} ms, ${counts.join(', ')}`;
}

export function percentile(samples: readonly Sample[], share: number): number {
  const sorted = samples.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
