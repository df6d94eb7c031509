import { accountIdentifier, encodePrincipal, readAccount } from '../../codecs/icp/accounts.ts';
import type { Block, Header, Parties, Payment, Receipt, Transaction, Transfer } from '../../model/block.ts';
import { icpLedgerId, type LedgerEntry } from './createLedger.ts';

/** A block is one second of all ledgers that are followed. */
export function headerAt(number: number): Header {
  return {
    number,
    hash: `icp-${number}`,
    parentHash: `icp-${number - 1}`,
    timestamp: number * 1000,
  };
}

export type LedgerEntries = { readonly ledger: string; readonly entries: readonly LedgerEntry[] };

/** The block of a second with these entries; account identifiers of watched accounts are turned back into those. */
export function toBlock(
  chainUid: string,
  number: number,
  receivedAt: number,
  followed: readonly LedgerEntries[],
  watched: WatchedAccounts,
): Block {
  const transactions: IcpTransaction[] = [];
  for (const { ledger, entries } of followed)
    for (const entry of entries)
      for (const shown of watched.shownFor(ledger, entry))
        transactions.push(new IcpTransaction(ledger, shown, transactions.length));
  return {
    ...headerAt(number),
    chainUid,
    transactions,
    receiptOf: (hash) => transactions.find((transaction) => transaction.hash === hash)?.receipt,
    logs: [],
    upgraded: [],
    used: 0n,
    limit: 0n,
    size: 0,
    receivedAt,
  };
}

type Shown = LedgerEntry & { readonly part?: string };
export type WatchedAccounts = { shownFor(ledger: string, entry: LedgerEntry): Shown[] };

/** The ledger of ICP names accounts by hashes: those of watched accounts are looked up. */
export function createWatchedAccounts(
  addresses: Iterable<string>,
  isWatched: (address: string) => boolean,
): WatchedAccounts {
  let byIdentifier: ReadonlyMap<string, string> | undefined;
  const known = () => {
    byIdentifier ??= new Map(
      [...addresses].flatMap((address) => {
        const account = readAccount(address);
        return account ? [[accountIdentifier(account), address] as const] : [];
      }),
    );
    return byIdentifier;
  };
  return {
    shownFor(ledger, entry) {
      if (ledger !== icpLedgerId) return [entry];
      const back = (account: string | null) => (account === null ? null : (known().get(account) ?? account));
      const shown = { ...entry, from: back(entry.from), to: back(entry.to), spender: back(entry.spender) };
      // Someone may watch the hash itself as well.
      const isBoth = [entry.from, entry.to, entry.spender].some(
        (account) => account !== null && known().has(account) && isWatched(account),
      );
      return isBoth ? [shown, { ...entry, part: 'account identifier' }] : [shown];
    },
  };
}

class IcpTransaction implements Transaction {
  readonly hash: string;
  readonly index: number;
  readonly part: string | undefined;
  readonly input = '';
  readonly callKey = '';
  readonly nonce = 0;
  readonly priorityFee = 0n;
  readonly logs = [];
  readonly transfers: readonly Transfer[];
  readonly parties: Parties;
  readonly #ledger: string;
  readonly #entry: Shown;

  constructor(ledger: string, entry: Shown, index: number) {
    const { from, to, amount, spender, isApproval } = entry;
    this.#ledger = ledger;
    this.#entry = entry;
    this.hash = toHash(ledger, entry.index);
    this.index = index;
    this.part = entry.part;
    const asset = ledger === icpLedgerId ? 'native' : ledger;
    this.transfers = isApproval || (from === null && to === null) ? [] : [{ asset, from, to, amount }];
    this.parties = {
      senders: new Set(from === null ? [] : [from]),
      recipients: new Set(to === null ? [] : [to]),
      others: new Set([ledger, ...[from, to, spender].flatMap(partiesOf)]),
    };
  }

  /** New tokens come from no one. */
  get from(): string {
    return this.#entry.from ?? 'mint';
  }

  get to(): string | null {
    return this.#entry.to ?? this.#entry.spender;
  }

  get value(): bigint {
    return this.#ledger === icpLedgerId ? this.#entry.amount : 0n;
  }

  /** Ledgers keep what succeeded. */
  get receipt(): Receipt {
    const isIcp = this.#ledger === icpLedgerId;
    return { isSuccess: true, used: 1n, price: isIcp ? this.#entry.fee : 0n, contractAddress: null };
  }

  *payments(): Generator<Payment> {
    const { from, to, isApproval } = this.#entry;
    if (from !== null && to !== null && !isApproval) yield { from, to, isDirect: true };
  }
}

/** A ledger and the index of an entry in it identify what others call a transaction. */
function toHash(ledger: string, index: number): string {
  return `${ledger}_${index}`;
}

/** The account, and its owner where it is one of its subaccounts. */
function partiesOf(account: string | null): string[] {
  if (account === null) return [];
  const owner = account.includes('.') ? readAccount(account)?.owner : undefined;
  return owner ? [account, encodePrincipal(owner)] : [account];
}
