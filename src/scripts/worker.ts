import type { MessagePort } from 'node:worker_threads';
import type { QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten';
import { type Compiler, compilerCode, type Library, type ScriptFault } from './compile.ts';
import type { Limits } from './limits.ts';
import type { RunCode } from './realm.ts';
import { findThreadId, threadCpuMs } from './threadCpu.ts';

/**
 * The program of a worker thread, made of functions: as text it runs both from the sources and from `dist`,
 * and it loads nothing but QuickJS and what it reads its processor time with.
 */
export const workerCode = `'use strict';
${compilerCode}
${[serve, createEngine, openModule, openRealm, closeRealm, findThreadId, threadCpuMs].map(String).join('\n')}
const { parentPort, workerData } = require('node:worker_threads');
const files = require('node:fs');
const threadId = findThreadId(files);
Atomics.store(workerData.progress, 1, threadId);
serve(require(workerData.quickjs), parentPort, workerData, { compile, toFault }, () => threadCpuMs(files, threadId));`;

/** `names` and `values` (as JSON text, see `codec.ts`) are the parameters; without `values` sources are only compiled. */
export type Job = {
  names: readonly string[];
  values?: string;
  sources: readonly string[];
  /** Worker time that may be used; what does not end within it is cut off and not answered. */
  limitMs?: number;
};

/** Answers in the order of the sources. The last message may come early: after a slice of time the worker is given back. */
export type Message = { answers: Answer[]; isLast: boolean; usedMs: number };

/** `text` is a value in the form of `codec.ts`; the plain kinds spare the common answers of filters their text. */
export type Answer = boolean | undefined | { text: string } | { fault: ScriptFault };

export type WorkerSetup = {
  quickjs: string;
  /** Compiled once for all workers, so that a new one starts with code that is already optimised. */
  wasmModule: object;
  realmCode: string;
  runCodes: readonly RunCode[];
  limits: Limits;
  /** Two cells: the index of the source at work, or -1 while no tenant code runs; and the system's id of the thread. */
  progress: Int32Array;
};

declare const WebAssembly: { Memory: new (pages: { initial: number; maximum: number }) => object };

type QuickJS = typeof import('quickjs-emscripten');

type Realm = Library & {
  runtime: QuickJSRuntime;
  load: QuickJSHandle;
  run: QuickJSHandle;
  take: QuickJSHandle;
};

function serve(
  quickjs: QuickJS,
  port: MessagePort,
  setup: WorkerSetup,
  compiler: Compiler,
  cpuMs: () => number,
): void {
  const work = createEngine(quickjs, setup, compiler, cpuMs);
  port.on('message', (job: Job) => void work(job, (message) => port.postMessage(message)));
}

function createEngine(
  quickjs: QuickJS,
  setup: WorkerSetup,
  { compile, toFault }: Compiler,
  cpuMs: () => number,
): (job: Job, send: (message: Message) => void) => Promise<void> {
  const { limits, progress, runCodes } = setup;
  const sendEveryMs = 20;
  let module: QuickJSWASMModule | undefined;
  let realm: Realm | undefined;
  let loaded: string | undefined;
  let started = Number.POSITIVE_INFINITY;
  let firstTick: number | undefined;
  let interrupted = false;
  let limitMs: number = limits.scriptMs;
  let isCutOff = false;

  return async function work(job, send) {
    let answers: Answer[] = [];
    let sentAt = performance.now();
    let now = sentAt;
    let usedMs = 0;
    let count = 0;
    for (const [index, source] of job.sources.entries()) {
      // What is sent need not run again when a later script takes the worker down.
      if (now - sentAt > sendEveryMs) {
        send({ answers, isLast: false, usedMs });
        answers = [];
        sentAt = now;
      }
      const wasFresh = realm === undefined;
      // Making a realm is no script's doing.
      if (wasFresh) Atomics.store(progress, 0, -1);
      const ready = realm ?? (await renew());
      Atomics.store(progress, 0, index);
      const startedAt = wasFresh ? performance.now() : now;
      const leftMs = job.limitMs === undefined ? undefined : job.limitMs - usedMs;
      let given = attempt(ready, job, source, leftMs);
      // What earlier scripts left uncollected must not count against this one.
      if (!wasFresh && hasFault(given, 'memory')) given = attempt(await renew(), job, source, leftMs);
      // A promise's job would outlive its script.
      if (hasFault(given, 'memory') || hasFault(given, 'time') || realm?.runtime.hasPendingJob()) discard();
      now = performance.now();
      usedMs += now - startedAt;
      if (isCutOff) break;
      answers.push(given);
      count += 1;
      if (usedMs >= limits.sliceMs || (job.limitMs !== undefined && usedMs >= job.limitMs)) break;
    }
    Atomics.store(progress, 0, -1);
    // The run that wore the realm out waits for the new one, not the next run.
    if (realm === undefined) await renew();
    else if (loaded !== undefined && count === job.sources.length) {
      load(realm, '[]');
      loaded = undefined;
    }
    send({ answers, isLast: true, usedMs });
  };

  async function renew(): Promise<Realm> {
    discard();
    if (module === undefined) {
      const index = Atomics.exchange(progress, 0, -1);
      module = await openModule(quickjs, setup);
      Atomics.store(progress, 0, index);
    }
    started = Number.POSITIVE_INFINITY;
    realm = openRealm(module, setup, mustStop);
    return realm;
  }

  /** Memory that grew never shrinks, so it goes with its module. */
  function discard(): void {
    if (hasGrown()) module = undefined;
    else if (realm !== undefined) closeRealm(realm);
    realm = undefined;
    loaded = undefined;
  }

  function hasGrown(): boolean {
    return module !== undefined && module.getWasmMemory().buffer.byteLength > limits.memoryBytes;
  }

  function hasFault(given: Answer, code: ScriptFault['code']): boolean {
    return typeof given === 'object' && 'fault' in given && given.fault.code === code;
  }

  function attempt(current: Realm, { names, values }: Job, source: string, leftMs?: number): Answer {
    isCutOff = false;
    limitMs = leftMs === undefined ? limits.scriptMs : Math.min(limits.scriptMs, leftMs);
    if (values !== undefined && values !== loaded && !load(current, values)) {
      return { fault: { code: 'memory', message: 'the values handed to the script are too large' } };
    }
    interrupted = false;
    firstTick = undefined;
    started = performance.now();
    const compiled = compile(current, limits, names, source);
    const given = 'fault' in compiled || values === undefined ? compiled : call(current, compiled.script);
    if (hasGrown()) return { fault: { code: 'memory', message: 'the script needs too much memory' } };
    return typeof given === 'object' && 'script' in given ? undefined : given;
  }

  function load({ context, load: loader }: Realm, values: string): boolean {
    loaded = undefined;
    if (values.length > limits.valueChars) return false;
    started = Number.POSITIVE_INFINITY;
    const result = context
      .newString(values)
      .consume((text) => context.callFunction(loader, context.undefined, text));
    result.dispose();
    if (result.error === undefined) loaded = values;
    return result.error === undefined;
  }

  function call({ context, run, take }: Realm, script: QuickJSHandle): Answer {
    const result = context.callFunction(run, context.undefined, script);
    // Asked first: an async function turns an interruption into a promise like any other.
    if (interrupted) {
      result.dispose();
      isCutOff = limitMs < limits.scriptMs;
      return { fault: { code: 'time', message: `the script ran for more than ${limits.scriptMs} ms` } };
    }
    if (result.error) {
      result.dispose();
      return { fault: { code: 'memory', message: 'the script needs too much memory' } };
    }
    const code = runCodes[result.value.consume((handle) => context.getNumber(handle))];
    if (code === 'true') return true;
    if (code === 'false') return false;
    if (code === 'undefined' || code === undefined) return undefined;
    const text = context
      .unwrapResult(context.callFunction(take, context.undefined))
      .consume((handle) => context.getString(handle));
    if (code === 'value') return { text };
    if (code === 'result') return { fault: { code, message: text } };
    return { fault: toFault(code, JSON.parse(text)) };
  }

  /**
   * Asked at every ten thousandth step, whichever script takes it. Wall time would charge a script for a busy machine;
   * the thread's processor time since the script's first such step is its own.
   */
  function mustStop(): boolean {
    const afterMs = performance.now() - started;
    if (afterMs < 0) return false;
    if (hasGrown()) return true;
    firstTick ??= cpuMs();
    if (afterMs < limitMs) return false;
    interrupted ||= cpuMs() - firstTick >= limitMs;
    return interrupted;
  }
}

/**
 * QuickJS cannot count its bytes in WebAssembly, so the memory itself is the limit: growing is the fault. What it may
 * grow is room for the calls from outside, which do not look whether they got their memory.
 */
function openModule(quickjs: QuickJS, { limits, wasmModule }: WorkerSetup): Promise<QuickJSWASMModule> {
  const pages = limits.memoryBytes / 65_536;
  const wasmMemory = new WebAssembly.Memory({ initial: pages, maximum: 2 * pages });
  const variant = quickjs.newVariant(quickjs.RELEASE_SYNC, { wasmModule, wasmMemory });
  return quickjs.newQuickJSWASMModuleFromVariant(variant);
}

function openRealm(module: QuickJSWASMModule, setup: WorkerSetup, mustStop: () => boolean): Realm {
  const runtime = module.newRuntime();
  runtime.setMaxStackSize(setup.limits.stackBytes);
  runtime.setInterruptHandler(mustStop);
  const context = runtime.newContext();
  const [load, run, take] = context
    .unwrapResult(context.evalCode(setup.realmCode, 'sandbox'))
    .consume((made) => ['load', 'run', 'take'].map((name) => context.getProp(made, name)));
  return { runtime, context, load: load!, run: run!, take: take!, scripts: new Map(), chars: 0 };
}

function closeRealm({ runtime, context, load, run, take, scripts }: Realm): void {
  for (const handle of [load, run, take, ...scripts.values()]) handle.dispose();
  context.dispose();
  runtime.dispose();
}
