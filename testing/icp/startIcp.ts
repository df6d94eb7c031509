import { AnonymousIdentity, HttpAgent, type Identity } from '@icp-sdk/core/agent';
import { IDL } from '@icp-sdk/core/candid';
import { Principal } from '@icp-sdk/core/principal';
import { hexToBytes } from '@noble/hashes/utils.js';
import { icpLedgerId } from '../../src/chains/icp/createLedger.ts';
import { ledgerTypes } from '../../src/chains/icp/ledgerTypes.ts';
import { addLedger } from './ledgerCanister.ts';
import { managementTypes } from './manageCanister.ts';
import { startPocketIc } from './startPocketIc.ts';
import { type Replica, startReplica } from './startReplica.ts';

export type IcpNetwork = Awaited<ReturnType<typeof startIcp>>;

/** Why a test does not run on a real network. */
export const onStandInOnly = 'It needs a network that fails on demand, so it does not run on POCKET_IC_BIN.';
const bank = new AnonymousIdentity();

/**
 * A network with the ledger of ICP, on which tests act as anyone would, with the official agent: the real one whose server
 * POCKET_IC_BIN names, else the stand-in. On both the anonymous principal has all the ICP that tests begin with.
 */
export async function startIcp() {
  const program = process.env.POCKET_IC_BIN;
  if (program) return { ...useNetwork(await startPocketIc(program)), standIn: undefined, ledger: undefined };
  const standIn: Replica = await startReplica();
  const ledger = addLedger(standIn, icpLedgerId, { kind: 'icp', symbol: 'ICP' });
  ledger.canister.candid = 'service : { icrc1_fee : () -> (nat) query }';
  ledger.mint(bank.getPrincipal().toText(), 10n ** 17n);
  return { ...useNetwork({ ...standIn, home: icpLedgerId }), standIn, ledger };
}

type Server = { url: string; rootKey: string; home: string; stop(): Promise<void> };

/** `home`: a canister of the subnet on which canisters are made. */
function useNetwork({ url, rootKey, home, stop }: Server) {
  const { origin, pathname } = new URL(url);
  const types = ledgerTypes(IDL);

  const agentOf = (identity: Identity) =>
    HttpAgent.create({
      host: origin,
      rootKey: hexToBytes(rootKey),
      identity,
      // Paths are below that of the network, which the agent leaves out.
      fetch: (target, init) => {
        const asked = new URL(target instanceof Request ? target.url : target);
        return fetch(`${origin}${pathname.replace(/\/$/, '')}${asked.pathname}`, init);
      },
    });

  async function update(
    identity: Identity,
    canister: string,
    method: string,
    arg: Uint8Array,
    effective = canister,
  ): Promise<Uint8Array> {
    const agent = await agentOf(identity);
    const { reply } = await agent.update(Principal.fromText(canister), {
      methodName: method,
      arg,
      effectiveTarget: { canisterId: Principal.fromText(effective) },
    });
    return reply;
  }

  /** What a query gives, as Candid; throws where it is rejected. */
  async function query(canister: string, method: string, arg: Uint8Array): Promise<Uint8Array> {
    const answer = await (await agentOf(bank)).query(canister, { methodName: method, arg });
    if ('reply' in answer) return answer.reply.arg;
    throw new Error(answer.reject_message);
  }

  async function manage(
    identity: Identity,
    name: keyof typeof managementTypes,
    members: object,
    effective: string,
  ): Promise<{ canister_id?: Principal }> {
    const { args, results } = managementTypes[name];
    const reply = await update(identity, 'aaaaa-aa', name, IDL.encode(args, [members]), effective);
    return (IDL.decode(results, reply)[0] ?? {}) as unknown as { canister_id?: Principal };
  }

  /** Pays ICP; the hash of the entry, as Vigil names it. */
  async function pay(to: string, amount: bigint, from: Identity = bank): Promise<string> {
    const none: [] = [];
    const arg = {
      to: { owner: Principal.fromText(to), subaccount: none },
      amount,
      fee: none,
      memo: none,
      from_subaccount: none,
      created_at_time: none,
    };
    const { args, results } = types.icrc1_transfer;
    const reply = await update(from, icpLedgerId, 'icrc1_transfer', IDL.encode(args, [arg]));
    const [outcome] = IDL.decode(results, reply) as unknown as [{ Ok?: bigint; Err?: object }];
    if (outcome.Ok === undefined)
      throw new Error(`The ledger refuses: ${Object.keys(outcome.Err ?? {}).join()}`);
    return `${icpLedgerId}_${outcome.Ok}`;
  }

  const install = (identity: Identity, id: string, wasm: Uint8Array) =>
    manage(
      identity,
      'install_code',
      {
        mode: { reinstall: null },
        canister_id: Principal.fromText(id),
        wasm_module: wasm,
        arg: IDL.encode([], []),
      },
      id,
    );

  return {
    url,
    rootKey,
    stop,
    pay,
    query,
    /** ICP of a principal, in e8s. */
    async balanceOf(owner: string): Promise<bigint> {
      const { args, results } = types.icrc1_balance_of;
      const arg = IDL.encode(args, [{ owner: Principal.fromText(owner), subaccount: [] }]);
      const [held] = IDL.decode(results, await query(icpLedgerId, 'icrc1_balance_of', arg));
      return held as unknown as bigint;
    },
    install,
    /** A canister that the identity controls. */
    async create(identity: Identity, wasm: Uint8Array): Promise<string> {
      const made = await manage(
        identity,
        'provisional_create_canister_with_cycles',
        { amount: [10n ** 14n], settings: [] },
        home,
      );
      const id = made.canister_id!.toText();
      await install(identity, id, wasm);
      return id;
    },
    setControllers: (identity: Identity, id: string, controllers: readonly string[]) =>
      manage(
        identity,
        'update_settings',
        {
          canister_id: Principal.fromText(id),
          settings: { controllers: [controllers.map((each) => Principal.fromText(each))] },
        },
        id,
      ),
    /** A method without arguments. */
    call: (identity: Identity, id: string, method: string) =>
      update(identity, id, method, IDL.encode([], [])),
  };
}
