import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import type { Network } from '../../src/chains/stellar/network.ts';
import { xdrBytes } from '../../src/chains/stellar/xdr.ts';
import { contractAddress } from '../../src/codecs/stellar/strkey.ts';
import type { Json } from '../startTestApi.ts';
import type { LedgerState } from './createLedgerState.ts';
import { type Applied, OperationFailed } from './operationOutcome.ts';

type Context = {
  state: LedgerState;
  network: Network;
  source: string;
  /** As in a simulation: who must authorise is noted; otherwise that must be given. */
  isRecording: boolean;
  applied: Applied;
};

/** Uploads code, makes a contract of it, or calls one; whatever its code, a contract does what `vaultWasm` does, and a little more. */
export function applyHostFunction(
  { state, network, source, isRecording, applied }: Context,
  { host_function: made, auth = [] }: Json,
): void {
  const rejection = (why: string) => new OperationFailed({ invoke_host_function: 'trapped' }, why);
  if (made.upload_contract_wasm !== undefined) {
    const hash = bytesToHex(sha256(hexToBytes(made.upload_contract_wasm)));
    if (!state.hasCode(hash)) state.putCode(hash, made.upload_contract_wasm);
    applied.keys.push({ contract_code: { hash } });
    applied.value = { bytes: hash };
    return;
  }
  if (made.create_contract) {
    const { contract_id_preimage: preimage, executable } = made.create_contract;
    const id = { contract_id: { network_id: network.id, contract_id_preimage: preimage } };
    const address = contractAddress(bytesToHex(sha256(xdrBytes('HashIdPreimage', id))));
    if (preimage.address.address !== source || (!isRecording && auth.length === 0))
      throw rejection('Error(Auth, InvalidAction)');
    if (!state.hasCode(executable.wasm)) throw rejection('Error(Storage, MissingValue)');
    if (state.instance(address)) throw rejection('Error(Storage, ExistingValue)');
    applied.keys.push(state.instanceKey(address));
    applied.auth.push({
      credentials: 'source_account',
      root_invocation: { function: { create_contract_host_fn: made.create_contract }, sub_invocations: [] },
    });
    state.putInstance(address, { executable, storage: null });
    applied.value = { address };
    return;
  }
  const { contract_address: contract, function_name: fn, args } = made.invoke_contract;
  const invocation = { function: { contract_fn: made.invoke_contract }, sub_invocations: [] };
  applied.keys.push(state.instanceKey(contract));
  for (const { credentials } of auth as Json[])
    if (credentials !== 'source_account') throw rejection('Error(Auth, InvalidAction)');
  const requireAuth = (address: string) => {
    // Only the source of the transaction can sign here.
    if (!isRecording && (address !== source || auth.length === 0))
      throw rejection('Error(Auth, InvalidAction)');
    applied.auth.push(
      address === source
        ? { credentials: 'source_account', root_invocation: invocation }
        : {
            credentials: {
              address: { address, nonce: '1', signature_expiration_ledger: 0, signature: 'void' },
            },
            root_invocation: invocation,
          },
    );
  };
  const instance = state.instance(contract);
  if (!instance) throw rejection('Error(Storage, MissingValue)');
  const storage = new Map<string, Json>(
    (instance.storage ?? []).map(({ key, val }: Json) => [key.symbol ?? key.vec[0].symbol, val]),
  );
  const store = (executable = instance.executable) =>
    state.putInstance(contract, {
      executable,
      storage: [...storage]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([symbol, val]) => ({ key: { symbol }, val })),
    });
  const onlyOwner = () => requireAuth(storage.get('Owner')!.address);
  const functions: Record<string, () => Json | string> = {
    pause() {
      onlyOwner();
      if (storage.get('Paused')?.bool) throw rejection('Error(Contract, #7)');
      storage.set('Paused', { bool: true });
      store();
      applied.events.push(state.event(contract, ['paused', { address: source }], args[0] ?? 'void'));
      return 'void';
    },
    set_owner() {
      if (storage.has('Owner')) onlyOwner();
      storage.set('Owner', args[0]);
      store();
      return 'void';
    },
    upgrade() {
      onlyOwner();
      if (!state.hasCode(args[0].bytes)) throw rejection('Error(Storage, MissingValue)');
      store({ wasm: args[0].bytes });
      return 'void';
    },
    set_quota() {
      onlyOwner();
      storage.set('Quota', args[0]);
      store();
      return 'void';
    },
    quota() {
      if (args.length !== 1 || !args[0].address) throw rejection('Error(WasmVm, UnexpectedSize)');
      return storage.get('Quota') ?? { i128: '0' };
    },
    is_paused: () => storage.get('Paused') ?? { bool: false },
    mode: () => ({
      map: [
        {
          key: { symbol: 'kind' },
          val: { vec: [{ symbol: storage.has('Paused') ? 'Closed' : 'Open' }] },
        },
        { key: { symbol: 'until' }, val: 'void' },
      ],
    }),
    decimals: () => ({ u32: 6 }),
    symbol: () => ({ string: 'VLT' }),
    total_supply: () => ({ i128: '123000000' }),
    balance: () => ({ i128: '5000000' }),
  };
  const run = functions[fn];
  if (!run) throw rejection('Error(WasmVm, MissingValue)');
  applied.value = run();
}
