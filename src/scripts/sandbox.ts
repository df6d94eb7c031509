import { createFairQueue } from '../lib/createFairQueue.ts';
import { zip } from '../lib/zip.ts';
import { decodeValue, encodeValues } from './codec.ts';
import type { ScriptFault } from './compilerCode.ts';
import { createLoopCache } from './createLoopCache.ts';
import { createScriptWorker, type JobOutcome } from './createScriptWorker.ts';
import type { Job, RawResult } from './workerProtocol.ts';

export type SandboxResult = { value: unknown } | { fault: ScriptFault };

/** The tenant that is charged for a script, or 0 for the platform. Owners get fair shares of the workers. */
export type ScriptOwner = number;
export const platformOwner: ScriptOwner = 0;

/** Worker time that several runs share; each run subtracts what it used. */
type Allowance = { remainingMs: number };

export type Sandbox = {
  /** Compiles without running. Source is a JavaScript expression, or a body with `return`. */
  check(owner: ScriptOwner, source: string): Promise<ScriptFault | undefined>;
  /** Loads the values once, then runs every script over them, each in a clean state: scripts cannot see or change each other's effects. Urgent ones go before the others of their owner. */
  run(
    owner: ScriptOwner,
    values: Readonly<Record<string, unknown>>,
    sources: readonly string[],
    isUrgent?: boolean,
  ): Promise<SandboxResult[]>;
  /** The same within an allowance: undefined for a script that did not run or end before the allowance was used up. */
  runWithin(
    allowance: Allowance,
    owner: ScriptOwner,
    values: Readonly<Record<string, unknown>>,
    sources: readonly string[],
  ): Promise<(SandboxResult | undefined)[]>;
  close(): Promise<void>;
};

type Options = {
  workers?: number;
  /** Workers that one owner may have at once; fewer than `workers` keeps one free for the next owner. */
  workersPerOwner?: number;
};

/** More would be sent again and again while other jobs wait. */
const maxSourcesPerSlice = 10_000;

export function createSandbox({ workers = 1, workersPerOwner = workers }: Options = {}): Sandbox {
  const waitingJobs = new Int32Array(new SharedArrayBuffer(4));
  const scriptWorkers = Array.from({ length: workers }, () => createScriptWorker(waitingJobs));
  const idle = [...scriptWorkers];
  const queue = createFairQueue({ slots: workers, slotsPerKey: workersPerOwner });
  const endless = createLoopCache();

  /** Runs a job, or a slice of it while others wait. The worker stays charged to its owner until it can serve the next job without a delay. */
  function runSlice(owner: ScriptOwner, job: Job, isUrgent: boolean): Promise<JobOutcome> {
    return new Promise((resolve, reject) => {
      const work = async () => {
        Atomics.sub(waitingJobs, 0, 1);
        const worker = idle.pop();
        if (!worker) throw new Error('More jobs run than there are script workers.');
        // Another owner must not wait for the start of a worker while this one is busy.
        for (const spare of idle) spare.warmUp();
        const startedAt = performance.now();
        try {
          const outcome = await worker.attempt(job);
          if (outcome.crash) {
            resolve({ ...outcome, usedMs: performance.now() - startedAt });
            await worker.recover();
          }
          return outcome;
        } finally {
          idle.push(worker);
        }
      };
      // A job that ended well is resolved when its worker is free, so that the owner's next job gets the same worker.
      Atomics.add(waitingJobs, 0, 1);
      queue.run(owner, work, isUrgent).then(resolve, reject);
    });
  }

  /**
   * Leaves out a script that crashes its worker. A timed-out script runs again after the rest, unless it timed out last
   * time, because innocent scripts look endless on a busy machine; scripts are pure.
   */
  async function runAll(
    owner: ScriptOwner,
    job: Job,
    { allowance, isUrgent = false }: { allowance?: Allowance; isUrgent?: boolean } = {},
  ): Promise<(RawResult | NotRun)[]> {
    const results: (RawResult | NotRun)[] = job.sources.map(() => notRun);
    let remaining = job.sources.map((source, index) => ({ source, index }));
    let crashes = 0;
    const suspects = new Set<number>();
    while (remaining.length > 0) {
      if (allowance && allowance.remainingMs <= 0) break;
      const sources = remaining.slice(0, maxSourcesPerSlice).map(({ source }) => source);
      const limit = allowance === undefined ? {} : { limitMs: allowance.remainingMs };
      const {
        results: sliceResults,
        crash,
        usedMs,
      } = await runSlice(owner, { ...job, ...limit, sources }, isUrgent);
      if (allowance) allowance.remainingMs -= usedMs;
      const culprit = crash && remaining[crash.at];
      if (crash && !culprit && ++crashes > 1) {
        throw new Error('The worker of the script sandbox crashed twice before it ran a script.');
      }
      const finished = zip(remaining.slice(0, sliceResults.length), sliceResults);
      remaining = remaining.slice(sliceResults.length);
      if (crash && culprit) {
        finished.push([culprit, { fault: stopFaults[crash.by] }]);
        remaining = remaining.filter((item) => item !== culprit);
      }
      for (const [item, result] of finished) {
        const { source, index } = item;
        if (!isTimeout(result)) {
          endless.remove(owner, source);
          results[index] = result;
        } else if (allowance) {
          // Within an allowance, a timeout does not prove an endless loop.
        } else if (suspects.has(index) || endless.has(owner, source)) {
          endless.add(owner, source);
          results[index] = result;
        } else {
          suspects.add(index);
          remaining.push(item);
        }
      }
      const isCutOff = allowance !== undefined && crash === undefined && sliceResults.length === 0;
      if (isCutOff || crash?.by === 'limit') break;
    }
    return results;
  }

  function toJob(values: Readonly<Record<string, unknown>>, sources: readonly string[]): Job {
    const names = Object.keys(values);
    const wrong = names.find((name) => !/^[A-Za-z_$][\w$]*$/.test(name));
    if (wrong !== undefined) throw new Error(`"${wrong}" cannot be the name of a value in a script.`);
    return { names, values: encodeValues(Object.values(values)), sources };
  }

  return {
    async check(owner, source) {
      const [result] = await runAll(owner, { names: [], sources: [source] });
      return isFault(result) ? result.fault : undefined;
    },
    async run(owner, values, sources, isUrgent = false) {
      const results = await runAll(owner, toJob(values, sources), { isUrgent });
      return results.map((result) => {
        if (result === notRun) throw new Error('A script without an allowance was not run.');
        return toResult(result);
      });
    },
    async runWithin(allowance, owner, values, sources) {
      const results = await runAll(owner, toJob(values, sources), { allowance });
      return results.map((result) => (result === notRun ? undefined : toResult(result)));
    },
    async close() {
      await Promise.all(scriptWorkers.map((worker) => worker.close()));
    },
  };
}

const notRun = Symbol('not run');
type NotRun = typeof notRun;

function isFault(result: RawResult | NotRun): result is { fault: ScriptFault } {
  return typeof result === 'object' && 'fault' in result;
}

function isTimeout(result: RawResult): boolean {
  return isFault(result) && result.fault.code === 'time';
}

const stopFaults: Record<'time' | 'memory' | 'limit', ScriptFault> = {
  time: { code: 'time', message: 'the script did not end and was stopped' },
  memory: { code: 'memory', message: 'the script exhausted the sandbox and was stopped' },
  limit: { code: 'time', message: 'the script did not end and was stopped' },
};

function toResult(result: RawResult): SandboxResult {
  if (typeof result !== 'object') return { value: result };
  return 'fault' in result ? result : { value: decodeValue(result.text) };
}
