import type { QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten';
import type { Library } from './compilerCode.ts';
import type { WorkerSetup } from './workerProtocol.ts';

declare const WebAssembly: { Memory: new (pages: { initial: number; maximum: number }) => object };

type QuickJS = typeof import('quickjs-emscripten');

/** A context in which scripts run, with the functions that `realm.ts` installs. */
export type Realm = Library & {
  runtime: QuickJSRuntime;
  load: QuickJSHandle;
  run: QuickJSHandle;
  take: QuickJSHandle;
  /** The values that `load` was called with. */
  loaded: string | undefined;
};

export type RealmHost = {
  current(): Realm | undefined;
  /** Replaces the realm. QuickJS calls `mustStop` while scripts run in it. */
  renew(mustStop: () => boolean): Promise<Realm>;
  discard(): void;
  /** True if scripts have made the memory grow beyond its limit. */
  hasGrown(): boolean;
};

/** Sent as text into the worker, so the functions below may use nothing of this module but each other. */
export const realmHostCode = [createRealmHost, openModule, openRealm, closeRealm].map(String).join('\n');

/** Holds the realm of a worker and replaces it when a script has left it unusable. */
function createRealmHost(quickjs: QuickJS, setup: WorkerSetup): RealmHost {
  const { limits, progress } = setup;
  let module: QuickJSWASMModule | undefined;
  let realm: Realm | undefined;

  return {
    current: () => realm,
    hasGrown,
    discard,
    async renew(mustStop) {
      discard();
      if (module === undefined) {
        const index = Atomics.exchange(progress, 0, -1);
        module = await openModule(quickjs, setup);
        Atomics.store(progress, 0, index);
      }
      realm = openRealm(module, setup, mustStop);
      return realm;
    },
  };

  /** Memory that grew never shrinks, so the module is replaced too. */
  function discard(): void {
    if (hasGrown()) module = undefined;
    else if (realm !== undefined) closeRealm(realm);
    realm = undefined;
  }

  function hasGrown(): boolean {
    return module !== undefined && module.getWasmMemory().buffer.byteLength > limits.memoryBytes;
  }
}

/**
 * QuickJS cannot count its bytes in WebAssembly, so the memory itself is the limit: growth is the fault. The spare room
 * is for calls from outside, which do not check their allocations.
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
  const functions = context.unwrapResult(context.evalCode(setup.realmCode, 'sandbox')).consume((made) => ({
    load: context.getProp(made, 'load'),
    run: context.getProp(made, 'run'),
    take: context.getProp(made, 'take'),
  }));
  return { runtime, context, ...functions, scripts: new Map(), chars: 0, loaded: undefined };
}

function closeRealm({ runtime, context, load, run, take, scripts }: Realm): void {
  for (const handle of [load, run, take, ...scripts.values()]) handle.dispose();
  context.dispose();
  runtime.dispose();
}
