import type { QuickJSHandle } from 'quickjs-emscripten';
import type { Compiler } from './compilerCode.ts';
import type { Realm, RealmHost } from './realmHost.ts';
import type { Job, RawResult, WorkerSetup } from './workerProtocol.ts';

export type ScriptRunner = {
  renewRealm(): Promise<Realm>;
  /** Compiles one source of the job and, if it has values, runs it. */
  run(realm: Realm, job: Job, source: string, remainingMs: number | undefined): RawResult;
  /** True if the last run was stopped by the limit of its job, below that of a script. */
  isCutOff(): boolean;
  unload(realm: Realm): void;
};

/** Sent as text into the worker, so the function below may use nothing of this module. */
export const scriptRunnerCode = String(createScriptRunner);

/** Runs scripts in a realm, within the limits of time and memory. */
function createScriptRunner(
  host: RealmHost,
  { limits, runCodes }: WorkerSetup,
  { compile, toFault }: Compiler,
  cpuMs: () => number,
): ScriptRunner {
  /** Infinite while no script runs. */
  let startedAt = Number.POSITIVE_INFINITY;
  let cpuAtFirstCheck: number | undefined;
  let isInterrupted = false;
  let limitMs: number = limits.scriptMs;
  let isCutOff = false;

  return {
    renewRealm() {
      startedAt = Number.POSITIVE_INFINITY;
      return host.renew(mustStop);
    },
    run(realm, { names, values }, source, remainingMs) {
      isCutOff = false;
      limitMs = remainingMs === undefined ? limits.scriptMs : Math.min(limits.scriptMs, remainingMs);
      if (values !== undefined && values !== realm.loaded && !load(realm, values)) {
        return { fault: { code: 'memory', message: 'the values handed to the script are too large' } };
      }
      isInterrupted = false;
      cpuAtFirstCheck = undefined;
      startedAt = performance.now();
      const compiled = compile(realm, limits, names, source);
      const result = 'fault' in compiled || values === undefined ? compiled : call(realm, compiled.script);
      if (host.hasGrown()) return { fault: { code: 'memory', message: 'the script needs too much memory' } };
      return typeof result === 'object' && 'script' in result ? undefined : result;
    },
    isCutOff: () => isCutOff,
    unload(realm) {
      if (realm.loaded !== undefined) load(realm, '[]');
      realm.loaded = undefined;
    },
  };

  function load(realm: Realm, values: string): boolean {
    const { context, load: loader } = realm;
    realm.loaded = undefined;
    if (values.length > limits.valueChars) return false;
    startedAt = Number.POSITIVE_INFINITY;
    const result = context
      .newString(values)
      .consume((text) => context.callFunction(loader, context.undefined, text));
    result.dispose();
    if (result.error === undefined) realm.loaded = values;
    return result.error === undefined;
  }

  function call({ context, run, take }: Realm, script: QuickJSHandle): RawResult {
    const result = context.callFunction(run, context.undefined, script);
    // Checked first: an async function turns an interruption into a promise like any other.
    if (isInterrupted) {
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
   * QuickJS calls this every ten thousand steps. Wall time would charge a script for a busy machine, so the limit applies to
   * the processor time of the thread since the script's first check.
   */
  function mustStop(): boolean {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs < 0) return false;
    if (host.hasGrown()) return true;
    // Reading the processor time costs more than a short script.
    if (elapsedMs < Math.min(1, limitMs)) return false;
    cpuAtFirstCheck ??= cpuMs();
    if (elapsedMs < limitMs) return false;
    isInterrupted ||= cpuMs() - cpuAtFirstCheck >= limitMs;
    return isInterrupted;
  }
}
