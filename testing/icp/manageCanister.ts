import { createHash } from 'node:crypto';
import { IDL } from '@icp-sdk/core/candid';
import { Principal } from '@icp-sdk/core/principal';
import type { Canister } from './canister.ts';
import { canisterId } from './ledgerCanister.ts';
import { openWasm } from './openWasm.ts';

/** The first number of canisters that are made by a call. */
const firstMade = 1000;

type Settings = { controllers: [Principal[]?] };
/** All that any of them takes. */
type Given = { canister_id: Principal; settings: Settings | [Settings?]; wasm_module: Uint8Array };
const settings = IDL.Record({ controllers: IDL.Opt(IDL.Vec(IDL.Principal)) });
const named = IDL.Record({ canister_id: IDL.Principal });

/** What the management canister takes here: a subset of its methods and of their arguments. */
export const managementTypes = {
  provisional_create_canister_with_cycles: {
    args: [IDL.Record({ amount: IDL.Opt(IDL.Nat), settings: IDL.Opt(settings) })],
    results: [named],
  },
  install_code: {
    args: [
      IDL.Record({
        mode: IDL.Variant({ install: IDL.Null, reinstall: IDL.Null }),
        canister_id: IDL.Principal,
        wasm_module: IDL.Vec(IDL.Nat8),
        arg: IDL.Vec(IDL.Nat8),
      }),
    ],
    results: [],
  },
  update_settings: { args: [IDL.Record({ canister_id: IDL.Principal, settings })], results: [] },
  stop_canister: { args: [named], results: [] },
  start_canister: { args: [named], results: [] },
};

/** Runs a method of the management canister; throws to reject the call. */
export async function manageCanister(
  canisters: Map<string, Canister>,
  name: string,
  arg: Uint8Array,
  caller: string,
): Promise<Uint8Array> {
  const types = Object.entries(managementTypes).find(([method]) => method === name)?.[1];
  if (!types) throw new Error(`Management canister has no method '${name}'`);
  const [given] = IDL.decode(types.args, arg) as unknown as [Given];
  if (name === 'provisional_create_canister_with_cycles') {
    const id = canisterId(firstMade + canisters.size);
    const { settings: wanted } = given;
    canisters.set(id, {
      controllers: (Array.isArray(wanted) ? controllersOf(wanted[0]) : undefined) ?? [caller],
      moduleHash: null,
      methods: {},
    });
    return IDL.encode(types.results, [{ canister_id: Principal.fromText(id) }]);
  }
  const id = given.canister_id.toText();
  const canister = canisters.get(id);
  if (!canister) throw new Error(`Canister ${id} not found`);
  if (!canister.controllers.includes(caller))
    throw new Error(`Only controllers of canister ${id} can call ic00 method ${name}`);
  if (name === 'install_code') {
    const wasm = Uint8Array.from(given.wasm_module);
    canister.code = await openWasm(wasm);
    if (canister.code.candid !== undefined) canister.candid = canister.code.candid;
    canister.moduleHash = createHash('sha256').update(wasm).digest();
  } else if (name === 'update_settings') {
    if (!Array.isArray(given.settings))
      canister.controllers = controllersOf(given.settings) ?? canister.controllers;
  } else canister.isStopped = name === 'stop_canister';
  return IDL.encode([], []);
}

function controllersOf(wanted: Settings | undefined): string[] | undefined {
  return wanted?.controllers[0]?.map((each) => each.toText());
}
