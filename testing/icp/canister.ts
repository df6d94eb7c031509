import type { IDL } from '@icp-sdk/core/candid';
import type { openWasm } from './openWasm.ts';

/** The part of a replica that its canisters use. */
export type CanisterHost = { readonly canisters: Map<string, Canister>; certificate(): Uint8Array };

export type Method = {
  readonly args: IDL.Type[];
  readonly results: IDL.Type[];
  readonly isQuery?: boolean;
  /** Throws to reject the call. */
  run(args: [never], context: { caller: string; replica: CanisterHost; canister: string }): unknown[];
};

export type Canister = {
  controllers: string[];
  moduleHash: Uint8Array | null;
  isStopped?: boolean;
  methods: Readonly<Record<string, Method>>;
  /** Its interface; `private`: for its controllers alone. */
  candid?: string | { private: string };
  certifiedData?: () => Uint8Array;
  /** Code that was installed, in place of `methods`. */
  code?: Awaited<ReturnType<typeof openWasm>>;
};
