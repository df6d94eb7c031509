import { ed25519 } from '@noble/curves/ed25519.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { readEnvelope } from '../../src/chains/stellar/decodeTransaction.ts';
import { assetName, type Network } from '../../src/chains/stellar/network.ts';
import { decodeStrkey, withoutMuxing } from '../../src/codecs/stellar/strkey.ts';
import type { Json } from '../startTestApi.ts';
import { applyHostFunction } from './applyHostFunction.ts';
import type { LedgerState } from './createLedgerState.ts';
import { type Applied, OperationFailed, resourceFee } from './operationOutcome.ts';

/** What is wrong with a transaction before anything of it is done, as a result code; undefined for a valid one. */
export function checkTransaction(
  state: LedgerState,
  network: Network,
  envelope: Json,
  closeTime: number,
): string | undefined {
  const { inner, tagged } = readEnvelope(envelope);
  const tx = inner as Json;
  const source = withoutMuxing(tx.source_account);
  const account = state.account(source);
  const bounds = tx.cond === 'none' ? undefined : (tx.cond.time ?? tx.cond.v2?.time_bounds);
  if (bounds && Number(bounds.min_time) > closeTime) return 'tx_too_early';
  if (bounds && Number(bounds.max_time) !== 0 && Number(bounds.max_time) < closeTime) return 'tx_too_late';
  if (tx.operations.length === 0) return 'tx_missing_operation';
  const soroban = tx.ext?.v1;
  const isCall = tx.operations.some(({ body }: Json) => body.invoke_host_function);
  if (isCall !== (soroban !== undefined) || (isCall && tx.operations.length !== 1)) return 'tx_malformed';
  const least = 100 * tx.operations.length + Number(soroban?.resource_fee ?? 0);
  if (tx.fee < least || (isCall && Number(soroban.resource_fee) < resourceFee)) return 'tx_insufficient_fee';
  if (!account) return 'tx_no_account';
  if (BigInt(tx.seq_num) !== BigInt(account.seq_num) + 1n) return 'tx_bad_seq';
  const hash = network.hashOf(tagged);
  const needed = new Set<string>([
    source,
    ...tx.operations.flatMap(({ source_account: own }: Json) => own ?? []),
  ]);
  const used = (envelope.tx.signatures as Json[]).filter(({ signature }) =>
    [...needed].some((address) => {
      const isValid = ed25519.verify(hexToBytes(signature), hash, decodeStrkey(address)!.payload);
      if (isValid) needed.delete(address);
      return isValid;
    }),
  );
  if (needed.size > 0) return 'tx_bad_auth';
  if (used.length < envelope.tx.signatures.length) return 'tx_bad_auth_extra';
  if (BigInt(account.balance) - reserveOf(account) < BigInt(tx.fee)) return 'tx_insufficient_balance';
  return undefined;
}

const baseReserve = 5_000_000n;
const reserveOf = (account: Json) => (2n + BigInt(account.num_sub_entries)) * baseReserve;

/** With `isRecording`, as in a simulation, it notes who must authorise; otherwise that must be given. */
export function applyOperation(
  state: LedgerState,
  network: Network,
  source: string,
  body: Json,
  isRecording = false,
): Applied {
  const [name = ''] = Object.keys(body);
  const members: Json = body[name];
  const applied: Applied = { result: {}, changes: [], events: [], value: 'void', keys: [], auth: [] };
  const failure = (code: string) => new OperationFailed({ [name]: code });
  const event = (contract: string, topics: readonly unknown[], data: unknown) =>
    void applied.events.push(state.event(contract, topics, data));
  /** The contract and the name that events of an asset end with. */
  const contractOf = (asset: unknown) =>
    asset === 'native' ? network.nativeContract : network.assetOf(asset);
  const issuerOf = (asset: unknown) => assetName(asset).split(':')[1];

  function give(holder: string, asset: unknown, amount: bigint): void {
    if (asset === 'native') {
      const account = state.account(holder);
      if (!account) throw failure('no_destination');
      state.putAccount({ ...account, balance: String(BigInt(account.balance) + amount) });
    } else if (holder !== issuerOf(asset)) {
      const line = state.trustline(holder, asset);
      if (!line) throw failure('no_trust');
      if (line.flags % 2 === 0) throw failure('not_authorized');
      state.putTrustline({ ...line, balance: String(BigInt(line.balance) + amount) });
    }
  }
  function take(holder: string, asset: unknown, amount: bigint, isForced = false): void {
    if (asset === 'native') {
      const account = state.account(holder)!;
      if (BigInt(account.balance) - reserveOf(account) < amount) throw failure('underfunded');
      state.putAccount({ ...account, balance: String(BigInt(account.balance) - amount) });
    } else if (holder !== issuerOf(asset)) {
      const line = state.trustline(holder, asset);
      if (!line) throw failure(isForced ? 'no_trust' : 'src_no_trust');
      if (line.flags % 2 === 0 && !isForced) throw failure('src_not_authorized');
      if (BigInt(line.balance) < amount) throw failure('underfunded');
      state.putTrustline({ ...line, balance: String(BigInt(line.balance) - amount) });
    }
  }
  function move(from: string, to: string, asset: unknown, amount: bigint): void {
    take(from, asset, amount);
    give(to, asset, amount);
    const end = { string: assetName(asset) };
    const contract = contractOf(asset);
    if (from === issuerOf(asset)) event(contract, ['mint', { address: to }, end], String(amount));
    else if (to === issuerOf(asset)) event(contract, ['burn', { address: from }, end], String(amount));
    else event(contract, ['transfer', { address: from }, { address: to }, end], String(amount));
  }

  const work: Record<string, () => void> = {
    create_account() {
      if (state.account(members.destination)) throw failure('already_exist');
      state.putAccount(state.newAccount(members.destination));
      move(source, members.destination, 'native', BigInt(members.starting_balance));
    },
    payment() {
      move(source, withoutMuxing(members.destination), members.asset, BigInt(members.amount));
    },
    change_trust() {
      const { line: asset, limit } = members;
      const account = state.account(source)!;
      const issuer = state.account(issuerOf(asset) ?? '');
      if (!issuer) throw failure('no_issuer');
      const known = state.trustline(source, asset);
      if (!known) state.putAccount({ ...account, num_sub_entries: account.num_sub_entries + 1 });
      const flags = (issuer.flags & 1 ? 0 : 1) | (issuer.flags & 8 ? 4 : 0);
      const line = known ?? { account_id: source, asset, balance: '0', flags, ext: 'v0' };
      state.putTrustline({ ...line, limit });
    },
    set_trust_line_flags() {
      const { trustor, asset, clear_flags: clear, set_flags: set } = members;
      const line = state.trustline(trustor, asset);
      if (source !== issuerOf(asset)) throw failure('malformed');
      if (!line) throw failure('no_trust_line');
      if (clear & 1 && !(state.account(source)!.flags & 2)) throw failure('cant_revoke');
      state.putTrustline({ ...line, flags: (line.flags & ~clear) | set });
      event(contractOf(asset), ['set_authorized', { address: trustor }, { string: assetName(asset) }], {
        bool: (((line.flags & ~clear) | set) & 1) === 1,
      });
    },
    clawback() {
      const { asset, from, amount } = members;
      if (source !== issuerOf(asset)) throw failure('malformed');
      const line = state.trustline(from, asset);
      if (line && !(line.flags & 4)) throw failure('not_clawback_enabled');
      take(from, asset, BigInt(amount), true);
      event(contractOf(asset), ['clawback', { address: from }, { string: assetName(asset) }], amount);
    },
    set_options() {
      const account = state.account(source)!;
      const bytes = hexToBytes(account.thresholds);
      for (const [place, member] of [
        'master_weight',
        'low_threshold',
        'med_threshold',
        'high_threshold',
      ].entries())
        if (members[member] !== null && members[member] !== undefined) bytes[place] = members[member];
      const { signer } = members;
      const others = account.signers.filter(({ key }: Json) => key !== signer?.key);
      state.putAccount({
        ...account,
        thresholds: Buffer.from(bytes).toString('hex'),
        flags: (account.flags & ~(members.clear_flags ?? 0)) | (members.set_flags ?? 0),
        home_domain: members.home_domain ?? account.home_domain,
        signers: signer && signer.weight > 0 ? [...others, signer] : others,
      });
    },
    bump_sequence() {},
    invoke_host_function: () => applyHostFunction({ state, network, source, isRecording, applied }, members),
  };
  const run = work[name];
  if (!run) throw failure('not_supported');
  applied.changes = state.record(run);
  applied.result = { [name]: name === 'invoke_host_function' ? { success: '0'.repeat(64) } : 'success' };
  return applied;
}
