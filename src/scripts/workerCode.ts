import type { MessagePort } from 'node:worker_threads';
import { compilerCode, type ScriptFault } from './compilerCode.ts';
import { type RealmHost, realmHostCode } from './realmHost.ts';
import { type ScriptRunner, scriptRunnerCode } from './scriptRunner.ts';
import { findThreadId, threadCpuMs } from './threadCpu.ts';
import type { Job, RawResult, WorkerMessage, WorkerSetup } from './workerProtocol.ts';

/**
 * The program of a worker thread, put together from functions: as text it runs both from the sources and from `dist`, and
 * it loads nothing but QuickJS and the files that report its processor time.
 */
export const workerCode = `'use strict';
${compilerCode}
${realmHostCode}
${scriptRunnerCode}
${[serve, findThreadId, threadCpuMs].map(String).join('\n')}
const { parentPort, workerData } = require('node:worker_threads');
const files = require('node:fs');
const threadId = findThreadId(files);
Atomics.store(workerData.progress, 1, threadId);
const host = createRealmHost(require(workerData.quickjs), workerData);
const cpuMs = () => threadCpuMs(files, threadId);
serve(parentPort, host, createScriptRunner(host, workerData, { compile, toFault }, cpuMs), workerData);`;

/** Runs the scripts of each job in order; while other jobs wait, for a slice of time at most. */
function serve(
  port: MessagePort,
  host: RealmHost,
  runner: ScriptRunner,
  { limits, progress, waitingJobs }: WorkerSetup,
): void {
  const sendEveryMs = 20;
  const send = (message: WorkerMessage) => port.postMessage(message);
  port.on('message', (job: Job) => void work(job));

  async function work(job: Job): Promise<void> {
    const { sources, limitMs } = job;
    let results: RawResult[] = [];
    let sentAt = performance.now();
    let now = sentAt;
    let usedMs = 0;
    let count = 0;
    for (const [index, source] of sources.entries()) {
      // Results that are sent need not be computed again when a later script crashes the worker.
      if (now - sentAt > sendEveryMs) {
        send({ results, isLast: false, usedMs });
        results = [];
        sentAt = now;
      }
      const existing = host.current();
      // No script is charged for the creation of a realm.
      if (!existing) Atomics.store(progress, 0, -1);
      const realm = existing ?? (await runner.renewRealm());
      Atomics.store(progress, 0, index);
      const startedAt = existing ? now : performance.now();
      const remainingMs = limitMs === undefined ? undefined : limitMs - usedMs;
      let result = runner.run(realm, job, source, remainingMs);
      // Garbage of earlier scripts must not count against this one.
      if (existing && hasFault(result, 'memory'))
        result = runner.run(await runner.renewRealm(), job, source, remainingMs);
      // A pending promise would outlive its script.
      if (hasFault(result, 'memory') || hasFault(result, 'time') || host.current()?.runtime.hasPendingJob())
        host.discard();
      now = performance.now();
      usedMs += now - startedAt;
      if (runner.isCutOff()) break;
      results.push(result);
      count += 1;
      if (limitMs !== undefined && usedMs >= limitMs) break;
      if (usedMs >= limits.sliceMs && Atomics.load(waitingJobs, 0) > 0) break;
    }
    Atomics.store(progress, 0, -1);
    const realm = host.current();
    // The job that spoilt the realm waits for the new one, so that the next job does not.
    if (!realm) await runner.renewRealm();
    send({ results, isLast: true, usedMs });
    if (count === sources.length && realm) runner.unload(realm);
  }

  function hasFault(result: RawResult, code: ScriptFault['code']): boolean {
    return typeof result === 'object' && 'fault' in result && result.fault.code === code;
  }
}
