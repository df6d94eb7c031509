import fs from 'node:fs';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { limits } from './limits.ts';
import { realmCode, runCodes } from './realm.ts';
import { threadCpuMs } from './threadCpu.ts';
import { type Answer, type Job, type Message, type WorkerSetup, workerCode } from './worker.ts';

/**
 * The answers as far as they came: fewer than the sources when the slice of time or the limit of the job ended first.
 * `fall.at` is the source that took the worker down, or -1 if no tenant code ran.
 */
type Outcome = { answers: Answer[]; usedMs: number; fall?: { at: number; by: 'time' | 'memory' | 'limit' } };

export type Lane = {
  attempt(job: Job): Promise<Outcome>;
  /** Starts the worker before it is needed. */
  warmUp(): void;
  /** Resolves when the lane can take a job without a delay; after a fall a new worker is started for that. */
  recover(): Promise<void>;
  close(): Promise<void>;
};

declare const WebAssembly: { Module: new (bytes: Uint8Array) => object };
let quickjs: ReturnType<typeof findQuickJS> | undefined;

const pollMs = 100;
const limitedPollMs = 25;
const pollsWithoutProgress = 2;
const cpuMsWithoutProgress = 4 * limits.scriptMs;
/** What a job may take beyond its own limit until its worker is stopped from outside. */
const graceMs = 50;

/** One worker thread, started at the first job and again after each fall; takes one job at a time. */
export function createLane(): Lane {
  const progress = new Int32Array(new SharedArrayBuffer(8));
  let worker: Worker | undefined;
  let closed = false;
  let hasFallen = false;

  return {
    async attempt(job) {
      refuseWhenClosed();
      const outcome = await post(start(), progress, job);
      if (outcome.fall !== undefined) {
        hasFallen = true;
        refuseWhenClosed();
      }
      return outcome;
    },
    warmUp() {
      if (!closed) start();
    },
    async recover() {
      if (!hasFallen) return;
      hasFallen = false;
      await stop();
      if (!closed) await post(start(), progress, { names: [], sources: ['0'] });
    },
    async close() {
      closed = true;
      await stop();
    },
  };

  function refuseWhenClosed(): void {
    if (closed) throw new Error('The script sandbox was closed.');
  }

  function start(): Worker {
    if (worker !== undefined) return worker;
    const started = startWorker(progress);
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

function startWorker(progress: Int32Array): Worker {
  Atomics.store(progress, 0, -1);
  Atomics.store(progress, 1, 0);
  quickjs ??= findQuickJS();
  const worker = new Worker(workerCode, {
    eval: true,
    workerData: { ...quickjs, realmCode, runCodes, limits, progress } satisfies WorkerSetup,
    env: {},
    execArgv: [],
    // What the engine prints when it falls would name paths of the host.
    stdout: true,
    stderr: true,
    resourceLimits: { stackSizeMb: 32 },
  });
  // An error that no job waits for must find a listener, or it would end the process.
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
 * QuickJS asks for interruption only between its own steps, so a native loop is seen as a job that makes no progress
 * while its thread is at work: on a busy machine the clock alone would stop the innocent.
 */
function post(worker: Worker, progress: Int32Array, job: Job): Promise<Outcome> {
  return new Promise((resolve) => {
    const answers: Answer[] = [];
    let usedMs = 0;
    let last = -1;
    let polls = 0;
    const cpuMs = () => threadCpuMs(fs, Atomics.load(progress, 1));
    let cpu = cpuMs();
    const isLimited = job.limitMs !== undefined;
    let runningMs = 0;
    let cpuAtStart: number | undefined;
    const every = isLimited ? limitedPollMs : pollMs;
    const timer = setInterval(() => {
      const index = Atomics.load(progress, 0);
      if (isLimited && index >= 0) {
        runningMs += every;
        cpuAtStart ??= cpuMs();
        const mostMs = job.limitMs! + graceMs;
        if (runningMs >= mostMs && cpuMs() - cpuAtStart >= mostMs) fall(index, 'limit');
      }
      if (index < 0 || index !== last) {
        last = index;
        polls = 0;
        cpu = cpuMs();
        return;
      }
      polls += 1;
      const isStuck = polls * every >= pollMs * pollsWithoutProgress && cpuMs() - cpu >= cpuMsWithoutProgress;
      if (isStuck) fall(index, 'time');
    }, every);
    const onMessage = (message: Message) => {
      for (const answer of message.answers) answers.push(answer);
      usedMs = message.usedMs;
      if (message.isLast) finish({ answers, usedMs });
    };
    const onFall = () => fall(Atomics.load(progress, 0), 'memory');
    worker.on('message', onMessage).on('error', onFall).on('exit', onFall);
    worker.postMessage(job, []);

    function fall(at: number, by: 'time' | 'memory' | 'limit'): void {
      finish({ answers, usedMs, fall: { at, by } });
    }

    function finish(outcome: Outcome): void {
      clearInterval(timer);
      worker.off('message', onMessage).off('error', onFall).off('exit', onFall);
      resolve(outcome);
    }
  });
}
