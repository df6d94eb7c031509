import { caseOf } from '../../codecs/stellar/caseOf.ts';
import { contractAddress, encodeStrkey, strkeyVersion, withoutMuxing } from '../../codecs/stellar/strkey.ts';
import { isRecord, membersOf } from '../../lib/isRecord.ts';
import type {
  Change,
  Log,
  Parties,
  Payment,
  Receipt,
  Transaction,
  TransactionCall,
  Transfer,
} from '../../model/block.ts';
import { listOf, type Raw, recordOf, textOf } from '../net/members.ts';
import { InvalidResponse } from '../net/replies.ts';
import { pairFlows } from '../pairFlows.ts';
import { coinsIn, paymentsIn } from '../transferSums.ts';
import { amountOf, type EntryStep, holdingsIn, ownersOf, readSteps } from './entries.ts';
import { findChanges } from './findChanges.ts';
import type { Network } from './network.ts';
import { addressIn, eventName, readDiagnosedCalls, readEvents, transferIn } from './readEvents.ts';
import { paidCoins, showOperation } from './showOperation.ts';

type Operation = { readonly source: string; readonly body: unknown };

/**
 * A transaction of a closed ledger: what was signed, how it ended, and every ledger entry before and after. Most match no
 * subscriber, so everything is read on first use.
 */
export class StellarTransaction implements Transaction {
  readonly hash: string;
  readonly index: number;
  readonly input = '';
  readonly callKey = '';
  // Sequence numbers are too large for a number; only their order matters, and that is the ledger's.
  readonly nonce = 0;
  readonly priorityFee = 0n;
  readonly from: string;
  readonly isSuccess: boolean;
  readonly #network: Network;
  readonly #processing: Raw;
  readonly #envelope: SignedEnvelope;
  readonly #meta: Raw;
  #parties: Parties | undefined;
  #transfers: readonly Transfer[] | undefined;
  #calls: readonly TransactionCall[] | undefined;
  #logs: readonly Log[] | undefined;
  #changes: readonly Change[] | undefined;

  constructor(processing: Raw, envelope: SignedEnvelope, index: number, network: Network) {
    const { transaction_hash: hash, result } = recordOf(processing.result);
    this.hash = textOf(hash, 'hash');
    this.index = index;
    this.#processing = processing;
    this.#envelope = envelope;
    this.#network = network;
    this.#meta = metaOf(processing.tx_apply_processing);
    this.from = withoutMuxing(textOf(envelope.inner.source_account, 'source account'));
    const outcome = recordOf(result).result;
    this.isSuccess = isRecord(outcome) && ('tx_success' in outcome || 'tx_fee_bump_inner_success' in outcome);
  }

  get to(): string | null {
    return this.calls[0]?.contract ?? this.transfers[0]?.to ?? null;
  }

  /** Native coins that it moves; for a failed transaction, those of its attempted payments. */
  get value(): bigint {
    if (!this.isSuccess) return this.#operations.reduce((sum, { body }) => sum + paidCoins(body), 0n);
    return coinsIn(this.transfers);
  }

  get fee(): bigint {
    return amountOf(recordOf(recordOf(this.#processing.result).result).fee_charged);
  }

  get receipt(): Receipt {
    return {
      isSuccess: this.isSuccess,
      // The ledger tells the fee as a whole.
      used: 1n,
      price: this.fee,
      contractAddress: null,
      ...(!this.isSuccess && { failure: showFailure(recordOf(this.#processing.result).result) }),
    };
  }

  get operationCount(): number {
    return listOf(this.#envelope.inner.operations, 'operations').length;
  }

  get transfers(): readonly Transfer[] {
    this.#transfers ??= this.isSuccess ? this.#findTransfers() : [];
    return this.#transfers;
  }

  get parties(): Parties {
    this.#parties ??= this.#findParties();
    return this.#parties;
  }

  /** The call that was signed, then those that nodes with diagnostics tell of within it; of failed transactions as well. */
  get calls(): readonly TransactionCall[] {
    this.#calls ??= this.#findCalls();
    return this.#calls;
  }

  /** For expressions: its operations as they were signed, also of one that failed. */
  ownMembers(): Record<string, unknown> {
    return {
      operations: this.#operations.map(({ source, body }) => showOperation(source, body, this.#network)),
    };
  }

  get logs(): readonly Log[] {
    this.#logs ??= this.isSuccess ? this.#findLogs() : [];
    return this.#logs;
  }

  get changes(): readonly Change[] {
    this.#changes ??= this.isSuccess ? findChanges(this.#operationSteps().flat(), this.#network) : [];
    return this.#changes;
  }

  payments(isSource: (address: string) => boolean): Generator<Payment> {
    return paymentsIn(this.transfers, isSource);
  }

  /** Ledgers take the fees of all transactions first, and give back what is too much of them last. */
  steps(stage: 'fee' | 'apply' | 'refund'): EntryStep[] {
    if (stage === 'fee') return readSteps(this.#processing.fee_processing);
    if (stage === 'refund') return readSteps(this.#processing.post_tx_apply_fee_processing ?? []);
    const { tx_changes_before: before, tx_changes_after: after } = this.#meta;
    return [...readSteps(before ?? []), ...this.#operationSteps().flat(), ...readSteps(after ?? [])];
  }

  #operationSteps(): EntryStep[][] {
    return listOf(this.#meta.operations, 'operations').map((item) => readSteps(recordOf(item).changes));
  }

  get #operations(): Operation[] {
    return listOf(this.#envelope.inner.operations, 'operations').map((item) => {
      const { source_account: source, body } = recordOf(item);
      return { source: typeof source === 'string' ? withoutMuxing(source) : this.from, body };
    });
  }

  #events() {
    const steps = listOf(this.#meta.operations, 'operations').flatMap((item) =>
      readEvents(recordOf(item).events ?? []),
    );
    // Before protocol 23 they are all of the one operation that calls a contract.
    return [...steps, ...readEvents(membersOf(this.#meta.soroban_meta).events ?? [])];
  }

  /** Every fee is an event of its own where the node makes events of what is no contract: then all that moves is one. */
  get #isUnified(): boolean {
    const { events } = this.#meta;
    return Array.isArray(events) && events.length > 0;
  }

  #findTransfers(): Transfer[] {
    const events = this.#events().flatMap((event) => transferIn(event, this.#network) ?? []);
    const callsContract = this.#operations.some(
      ({ body }) => membersOf(body).invoke_host_function !== undefined,
    );
    if (this.#isUnified || callsContract) return events;
    return this.#operationSteps().flatMap((steps) => this.#pairSteps(steps));
  }

  /** Transfers of an operation: each account with less of an asset pays those with more. */
  #pairSteps(steps: readonly EntryStep[]): Transfer[] {
    const byAsset = new Map<string, Map<string | null, bigint>>();
    const add = (entry: Raw | null, sign: bigint) => {
      for (const { asset, holder, amount } of holdingsIn(entry, this.#network)) {
        const changes = byAsset.get(asset) ?? new Map<string | null, bigint>();
        byAsset.set(asset, changes);
        changes.set(holder, (changes.get(holder) ?? 0n) + sign * amount);
      }
    };
    for (const { before, after } of steps) {
      add(before, -1n);
      add(after, 1n);
    }
    return [...byAsset].flatMap(([asset, changes]) => {
      // Shares of a pool are no asset that one could be paid with.
      if (asset.startsWith('L')) return [];
      const sum = [...changes.values()].reduce((total, change) => total + change, 0n);
      // The issuer holds nothing of its own asset: what comes back to it is gone.
      if (sum < 0n) changes.set(null, -sum);
      return pairFlows(changes, asset);
    });
  }

  #findCalls(): TransactionCall[] {
    const top = this.#operations.flatMap(({ source, body }): Omit<TransactionCall, 'position'>[] => {
      const { host_function: made } = membersOf(membersOf(body).invoke_host_function);
      const { invoke_contract: call } = membersOf(made);
      if (!isRecord(call)) return [];
      return [
        {
          contract: textOf(call.contract_address, 'contract'),
          key: textOf(call.function_name, 'function'),
          input: JSON.stringify(call.args),
          caller: source,
          depth: 0,
        },
      ];
    });
    const diagnosed = this.#meta.diagnostic_events ?? membersOf(this.#meta.soroban_meta).diagnostic_events;
    const inner = readDiagnosedCalls(diagnosed ?? [])
      .filter(({ depth }) => depth > 0)
      .map(({ contract, name, args, depth, caller }) => ({
        contract: contractAddress(contract),
        key: name,
        input: JSON.stringify(args),
        ...(caller !== null && { caller }),
        depth,
      }));
    return [...top, ...inner].map((call, position) => ({ ...call, position }));
  }

  #findLogs(): Log[] {
    return this.#events().map((event, position): Log => {
      const { contract, topics, data } = event;
      return {
        address: contract,
        key: eventName(event),
        indexed: topics.map((topic) => JSON.stringify(topic)),
        data: JSON.stringify(data),
        parties: topics.flatMap(addressIn),
        // Of this transaction alone, so that it is known without the others.
        index: position,
        transactionHash: this.hash,
        transactionIndex: this.index,
      };
    });
  }

  #findParties(): Parties {
    const { inner, feeSource } = this.#envelope;
    const senders = new Set([this.from, ...this.#operations.map(({ source }) => source)]);
    if (feeSource !== undefined) senders.add(withoutMuxing(feeSource));
    const recipients = new Set<string>();
    const rest = new Set<string>();
    const add = (address: string) => rest.add(withoutMuxing(address));
    collectAddresses([inner.operations, inner.ext], add);
    for (const { contract } of this.calls) add(contract);
    if (this.isSuccess) {
      for (const { before, after } of this.#operationSteps().flat())
        for (const owner of ownersOf(after ?? before)) add(owner);
      for (const { address, parties } of this.logs) {
        add(address);
        for (const party of parties) add(party);
      }
      for (const { asset, from, to } of this.transfers) {
        if (from !== null) senders.add(from);
        if (to !== null) recipients.add(to);
        add(asset === 'native' ? this.#network.nativeContract : asset);
      }
      for (const { subject } of this.changes) add(subject);
    }
    return { senders, recipients, others: rest };
  }
}

/** The transaction within an envelope, and who pays its fee in the place of its source. */
export type SignedEnvelope = { readonly inner: Raw; readonly feeSource?: string; readonly tagged: unknown };

export function readEnvelope(envelope: unknown): SignedEnvelope {
  const { tx, tx_v0: old, tx_fee_bump: bump } = recordOf(envelope);
  if (bump !== undefined) {
    const outer = recordOf(recordOf(bump).tx);
    const { inner } = readEnvelope(outer.inner_tx);
    return { inner, feeSource: textOf(outer.fee_source, 'fee source'), tagged: { tx_fee_bump: outer } };
  }
  const inner = tx === undefined ? fromFirstForm(recordOf(recordOf(old).tx)) : recordOf(recordOf(tx).tx);
  return { inner, tagged: { tx: inner } };
}

/** Transactions of the first form are hashed as if they had the present one. */
function fromFirstForm({ source_account_ed25519: key, time_bounds: time, ...rest }: Raw): Raw {
  const account = encodeStrkey(strkeyVersion.account, Buffer.from(String(key), 'hex'));
  return { ...rest, source_account: account, cond: time ? { time } : 'none' };
}

/** Members are the same in all forms that matter, as far as a form has them. */
export function metaOf(meta: unknown): Raw {
  const { v1, v2, v3, v4 } = recordOf(meta);
  const known = v4 ?? v3 ?? v2 ?? v1;
  if (known === undefined) throw new InvalidResponse('a transaction has a result of no known form');
  return recordOf(known);
}

/** Issuers are part of the names of assets, and have to do with those of all that use them. */
function collectAddresses(value: unknown, add: (address: string) => void): void {
  if (typeof value === 'string') {
    if (/^(?:[GC][A-Z2-7]{55}|M[A-Z2-7]{68})$/.test(value)) add(value);
  } else if (Array.isArray(value)) for (const item of value) collectAddresses(item, add);
  else if (isRecord(value))
    for (const [name, member] of Object.entries(value)) if (name !== 'issuer') collectAddresses(member, add);
}

/** `tx_failed: operation 2 payment underfunded`. */
export function showFailure(result: unknown): string {
  const outcome = membersOf(result).result;
  const { name: code, held: detail } = caseOf(outcome);
  if (code === 'tx_fee_bump_inner_failed') return showFailure(membersOf(detail).result);
  const parts = (Array.isArray(detail) ? (detail as unknown[]) : []).flatMap((item, index) => {
    if (typeof item === 'string') return [`operation ${index + 1} ${item}`];
    const { name, held: how } = caseOf(membersOf(item).op_inner);
    return typeof how === 'string' && how !== 'success' ? [`operation ${index + 1} ${name} ${how}`] : [];
  });
  return parts.length === 0 ? code : `${code}: ${parts.join(', ')}`;
}
