import fs from 'node:fs';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { limits } from './limits.ts';
import { realmCode, runCodes } from './realm.ts';
import { threadCpuMs } from './threadCpu.ts';
import { workerCode } from './workerCode.ts';
import type { Job, RawResult, WorkerMessage, WorkerSetup } from './workerProtocol.ts';

/**
 * The results so far: fewer than the sources if a time limit came first. `crash.at` is the source that crashed the
 * worker, or -1 if no tenant code ran.
 */
export type JobOutcome = {
  results: RawResult[];
  usedMs: number;
  crash?: { at: number; by: 'time' | 'memory' | 'limit' };
};

export type ScriptWorker = {
  attempt(job: Job): Promise<JobOutcome>;
  /** Starts the thread before it is needed. */
  warmUp(): void;
  /** Resolves when it can take a job without a delay; after a crash this starts a new thread. */
  recover(): Promise<void>;
  close(): Promise<void>;
};

declare const WebAssembly: { Module: new (bytes: Uint8Array) => object };
let quickjs: ReturnType<typeof findQuickJS> | undefined;

const pollMs = 100;
const limitedPollMs = 25;
const pollsWithoutProgress = 2;
const cpuMsWithoutProgress = 4 * limits.scriptMs;
/** A job may exceed its limit by this before its worker is stopped from outside. */
const limitGraceMs = 50;

/** One worker thread, started at the first job and again after each crash; takes one job at a time. */
export function createScriptWorker(waitingJobs: Int32Array): ScriptWorker {
  const progress = new Int32Array(new SharedArrayBuffer(8));
  let worker: Worker | undefined;
  let closed = false;
  let hasCrashed = false;

  return {
    async attempt(job) {
      throwIfClosed();
      const outcome = await post(start(), progress, job);
      if (outcome.crash !== undefined) {
        hasCrashed = true;
        throwIfClosed();
      }
      return outcome;
    },
    warmUp() {
      if (!closed) start();
    },
    async recover() {
      if (!hasCrashed) return;
      hasCrashed = false;
      await stop();
      if (!closed) await post(start(), progress, { names: [], sources: ['0'] });
    },
    async close() {
      closed = true;
      await stop();
    },
  };

  function throwIfClosed(): void {
    if (closed) throw new Error('The script sandbox was closed.');
  }

  function start(): Worker {
    if (worker !== undefined) return worker;
    const started = startWorker(progress, waitingJobs);
    started.on('exit', () => {
      if (worker === started) worker = undefined;
    });
    worker = started;
    return started;
  }

  async function stop(): Promise<void> {
    const stopping = worker;
    worker = undefined;
    await stopping?.terminate();
  }
}

function startWorker(progress: Int32Array, waitingJobs: Int32Array): Worker {
  Atomics.store(progress, 0, -1);
  Atomics.store(progress, 1, 0);
  quickjs ??= findQuickJS();
  const worker = new Worker(workerCode, {
    eval: true,
    workerData: { ...quickjs, realmCode, runCodes, limits, progress, waitingJobs } satisfies WorkerSetup,
    env: {},
    execArgv: [],
    // The engine's output on a crash would reveal paths of the host.
    stdout: true,
    stderr: true,
    resourceLimits: { stackSizeMb: 32 },
  });
  // An error event without a listener would end the process.
  worker.on('error', () => {});
  worker.unref();
  return worker;
}

function findQuickJS(): Pick<WorkerSetup, 'quickjs' | 'wasmModule'> {
  const quickjs = createRequire(import.meta.url).resolve('quickjs-emscripten');
  const wasm = createRequire(quickjs).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
  return { quickjs, wasmModule: new WebAssembly.Module(fs.readFileSync(wasm)) };
}

/**
 * QuickJS is interruptible only between its steps, so a native loop shows as a job without progress that uses processor
 * time. Wall time alone would stop innocent scripts on a busy machine.
 */
function post(worker: Worker, progress: Int32Array, job: Job): Promise<JobOutcome> {
  return new Promise((resolve) => {
    const results: RawResult[] = [];
    let usedMs = 0;
    let last = -1;
    let polls = 0;
    const cpuMs = () => threadCpuMs(fs, Atomics.load(progress, 1));
    // Read at the first poll: most jobs end before, and reading it for each would cost more than a filter.
    let cpu = 0;
    const { limitMs } = job;
    let runningMs = 0;
    let cpuAtStart: number | undefined;
    const intervalMs = limitMs !== undefined ? limitedPollMs : pollMs;
    const timer = setInterval(() => {
      const index = Atomics.load(progress, 0);
      if (limitMs !== undefined && index >= 0) {
        runningMs += intervalMs;
        cpuAtStart ??= cpuMs();
        const stopAfterMs = limitMs + limitGraceMs;
        if (runningMs >= stopAfterMs && cpuMs() - cpuAtStart >= stopAfterMs) crash(index, 'limit');
      }
      if (index < 0 || index !== last) {
        last = index;
        polls = 0;
        cpu = cpuMs();
        return;
      }
      polls += 1;
      const isStuck =
        polls * intervalMs >= pollMs * pollsWithoutProgress && cpuMs() - cpu >= cpuMsWithoutProgress;
      if (isStuck) crash(index, 'time');
    }, intervalMs);
    const onMessage = (message: WorkerMessage) => {
      for (const result of message.results) results.push(result);
      usedMs = message.usedMs;
      if (message.isLast) finish({ results, usedMs });
    };
    const onCrash = () => crash(Atomics.load(progress, 0), 'memory');
    worker.on('message', onMessage).on('error', onCrash).on('exit', onCrash);
    worker.postMessage(job, []);

    function crash(at: number, by: 'time' | 'memory' | 'limit'): void {
      finish({ results, usedMs, crash: { at, by } });
    }

    function finish(outcome: JobOutcome): void {
      clearInterval(timer);
      worker.off('message', onMessage).off('error', onCrash).off('exit', onCrash);
      resolve(outcome);
    }
  });
}
