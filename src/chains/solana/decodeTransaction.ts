import { showInstruction } from '../../codecs/solana/nativeInstructions.ts';
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
import { amountOf, listOf, numberOf, type Raw, recordOf, textOf } from '../net/members.ts';
import { InvalidResponse } from '../net/replies.ts';
import { pairFlows } from '../pairFlows.ts';
import { coinsIn, paymentsIn } from '../transferSums.ts';
import { findChanges } from './findChanges.ts';
import { type Executed, readExecuted } from './readExecuted.ts';

/** Tokens of one account before and after the transaction. */
type TokenStep = { account: string; owner: string; mint: string; before: bigint; after: bigint };

/** Lamports that each signature costs; what is paid beyond is for priority. */
const signatureFee = 5000n;

/**
 * A transaction of `accounts` detail: participants with their balances before and after. Its calls need a separate
 * request. Decoded on first use, because most match no subscriber.
 */
export class SolanaTransaction implements Transaction {
  readonly hash: string;
  readonly index: number;
  readonly input = '';
  readonly callKey = '';
  readonly nonce = 0;
  readonly #raw: Raw;
  readonly #meta: Raw;
  readonly #keys: readonly Key[];
  readonly #executed: Executed | undefined;
  #parties: Parties | undefined;
  #transfers: readonly Transfer[] | undefined;
  #tokens: readonly TokenStep[] | undefined;
  #changes: readonly Change[] | undefined;

  constructor(raw: Raw, index: number, executed?: Executed) {
    const { signatures, accountKeys } = recordOf(raw.transaction);
    this.hash = textOf(listOf(signatures, 'signatures')[0], 'signature');
    this.index = index;
    this.#raw = raw;
    this.#meta = recordOf(raw.meta);
    this.#keys = listOf(accountKeys, 'accountKeys') as readonly Key[];
    this.#executed = executed;
    if (typeof this.#keys[0]?.pubkey !== 'string') throw new InvalidResponse('a transaction has no payer');
  }

  get isDetailed(): boolean {
    return this.#executed !== undefined;
  }

  /** The same with what `getTransaction` says of it. */
  withDetail(raw: Raw): SolanaTransaction {
    return new SolanaTransaction(this.#raw, this.index, readExecuted(raw, this));
  }

  /** The first signer, who pays the fee. */
  get from(): string {
    return this.#keys[0]!.pubkey;
  }

  /** The receiver of most of its first transfer; null if it moves nothing. */
  get to(): string | null {
    return this.transfers[0]?.to ?? null;
  }

  get value(): bigint {
    return coinsIn(this.transfers);
  }

  get fee(): bigint {
    return BigInt(numberOf(this.#meta.fee, 'fee'));
  }

  get priorityFee(): bigint {
    const base = signatureFee * BigInt(this.#keys.filter(({ signer }) => signer).length);
    return this.fee > base ? this.fee - base : 0n;
  }

  get isSuccess(): boolean {
    return this.#meta.err === null;
  }

  get receipt(): Receipt {
    return {
      isSuccess: this.isSuccess,
      // The block tells the fee as a whole.
      used: 1n,
      price: this.fee,
      contractAddress: null,
      ...(!this.isSuccess && { failure: JSON.stringify(this.#meta.err) }),
    };
  }

  get transfers(): readonly Transfer[] {
    this.#transfers ??= this.isSuccess ? this.#findTransfers() : [];
    return this.#transfers;
  }

  /** Those who sign or give send it. */
  get parties(): Parties {
    this.#parties ??= this.#findParties();
    return this.#parties;
  }

  /** In the order in which they run; of failed transactions as well. */
  get calls(): readonly TransactionCall[] {
    return this.#executed?.calls ?? [];
  }

  /** For expressions: what programs wrote, every account, and the instructions by their names. */
  ownMembers(): Record<string, unknown> {
    return {
      logs: this.#executed?.messages ?? [],
      accounts: this.#keys.map(({ pubkey }) => pubkey),
      instructions: this.calls.map(showInstruction),
    };
  }

  get logs(): readonly Log[] {
    return this.isSuccess ? (this.#executed?.logs ?? []) : [];
  }

  get changes(): readonly Change[] {
    if (!this.isSuccess) return [];
    this.#changes ??= findChanges(
      this.calls,
      (account) => this.tokens.find((step) => step.account === account)?.owner,
    );
    return this.#changes;
  }

  payments(isSource: (address: string) => boolean): Generator<Payment> {
    return paymentsIn(this.transfers, isSource);
  }

  /** Native coins of each account before and after, the fee included. */
  *coins(): Generator<{ account: string; before: bigint; after: bigint }> {
    const before = listOf(this.#meta.preBalances, 'preBalances');
    const after = listOf(this.#meta.postBalances, 'postBalances');
    for (const [index, { pubkey }] of this.#keys.entries())
      yield {
        account: pubkey,
        before: amountOf(before[index], 'a balance'),
        after: amountOf(after[index], 'a balance'),
      };
  }

  get tokens(): readonly TokenStep[] {
    this.#tokens ??= this.#readTokens();
    return this.#tokens;
  }

  #readTokens(): TokenStep[] {
    const steps = new Map<string, TokenStep>();
    const read = (list: unknown, side: 'before' | 'after') => {
      for (const item of listOf(list ?? [], 'token balances')) {
        const { accountIndex, mint, owner, uiTokenAmount } = recordOf(item);
        const account = this.#keys[numberOf(accountIndex, 'accountIndex')]?.pubkey;
        if (account === undefined) throw new InvalidResponse('a token balance is of no account');
        const step = steps.get(account) ?? {
          account,
          // Old transactions do not say who owns it.
          owner: typeof owner === 'string' ? owner : account,
          mint: textOf(mint, 'mint'),
          before: 0n,
          after: 0n,
        };
        const amount = textOf(recordOf(uiTokenAmount).amount, 'amount');
        steps.set(account, { ...step, [side]: BigInt(amount) });
      }
    };
    read(this.#meta.preTokenBalances, 'before');
    read(this.#meta.postTokenBalances, 'after');
    return [...steps.values()];
  }

  #findTransfers(): Transfer[] {
    const coins = new Map<string | null, bigint>();
    for (const { account, before, after } of this.coins())
      if (before !== after) coins.set(account, after - before);
    coins.set(this.from, (coins.get(this.from) ?? 0n) + this.fee);
    const byMint = new Map<string, Map<string | null, bigint>>();
    for (const { mint, owner, before, after } of this.tokens) {
      const changes = byMint.get(mint) ?? new Map<string | null, bigint>();
      byMint.set(mint, changes);
      changes.set(owner, (changes.get(owner) ?? 0n) + after - before);
    }
    const tokens = Array.from(byMint, ([mint, changes]) => {
      const sum = [...changes.values()].reduce((total, change) => total + change, 0n);
      // Burned tokens go to no one.
      if (sum < 0n) changes.set(null, -sum);
      return pairFlows(changes, mint);
    });
    return [...tokens.flat(), ...pairFlows(coins)];
  }

  /** Every transaction of a slot comes by here, and most of its accounts have what they had. */
  #placeCoins(add: (account: string, change: bigint) => void): void {
    const before = listOf(this.#meta.preBalances, 'preBalances');
    const after = listOf(this.#meta.postBalances, 'postBalances');
    for (const [index, { pubkey }] of this.#keys.entries()) {
      if (before[index] === after[index] && before[index] !== undefined) continue;
      add(pubkey, amountOf(after[index], 'a balance') - amountOf(before[index], 'a balance'));
    }
  }

  #findParties(): Parties {
    const senders = new Set<string>();
    const recipients = new Set<string>();
    const rest = new Set<string>();
    for (const { pubkey, signer } of this.#keys) (signer ? senders : rest).add(pubkey);
    const add = (address: string, change: bigint) => {
      if (change < 0) senders.add(address);
      if (change > 0) recipients.add(address);
    };
    if (this.isSuccess) this.#placeCoins(add);
    const { preTokenBalances, postTokenBalances } = this.#meta;
    if (!isEmpty(preTokenBalances) || !isEmpty(postTokenBalances))
      for (const { owner, mint, before, after } of this.tokens) {
        rest.add(owner).add(mint);
        if (this.isSuccess) add(owner, after - before);
      }
    // Only the fee: it pays no one.
    recipients.delete(this.from);
    return { senders, recipients, others: rest };
  }
}

type Key = { readonly pubkey: string; readonly signer: boolean };

function isEmpty(list: unknown): boolean {
  return !Array.isArray(list) || list.length === 0;
}
