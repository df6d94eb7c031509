const candidSection = 'icp:public candid:service';

/** As much of it as is used here; its types come with those of browsers only. */
type Wasm = {
  compile(code: Uint8Array): Promise<object>;
  instantiate(module: object, imports: object): Promise<{ exports: Readonly<Record<string, unknown>> }>;
  Module: { customSections(module: object, name: string): ArrayBuffer[] };
};
const { WebAssembly: engine } = globalThis as unknown as { WebAssembly: Wasm };

/** Code as a canister: its methods, with as much of the system's interface as those of the tests use, and its interface. */
export async function openWasm(wasm: Uint8Array) {
  const module = await engine.compile(Uint8Array.from(wasm));
  let reply: number[] = [];
  const instance = await engine.instantiate(module, {
    ic0: {
      msg_reply_data_append: (at: number, length: number) => {
        const { buffer } = instance.exports.memory as { buffer: ArrayBuffer };
        reply.push(...new Uint8Array(buffer, at, length));
      },
      msg_reply: () => {},
    },
  });
  const [candid] = engine.Module.customSections(module, candidSection);
  return {
    candid: candid && Buffer.from(candid).toString(),
    /** Undefined where there is no such method. */
    run(name: string, isQuery: boolean): Uint8Array | undefined {
      const kinds = isQuery ? ['query'] : ['update', 'query'];
      const method = kinds.map((kind) => instance.exports[`canister_${kind} ${name}`]).find(Boolean);
      if (typeof method !== 'function') return undefined;
      reply = [];
      method();
      return Uint8Array.from(reply);
    },
  };
}
