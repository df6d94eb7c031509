import type { Network } from '../../src/chains/stellar/network.ts';
import { encodeXdr } from '../../src/chains/stellar/xdr.ts';
import type { Json } from '../startTestApi.ts';

/** The ledger entries of the stand-in, each by its key in XDR, and what becomes of them. */
export function createLedgerState(network: Network) {
  let entries = new Map<string, Json>();
  let changes: Json[] = [];
  let ledger = 1;

  const toEntry = (data: Json) => ({ last_modified_ledger_seq: ledger, data, ext: 'v0' });
  const find = (key: string): Json | undefined => entries.get(key);

  function put(key: Json, data: Json | undefined): void {
    const text = encodeXdr('LedgerKey', key);
    const before = entries.get(text);
    if (before) changes.push({ state: toEntry(before) });
    if (data) {
      changes.push({ [before ? 'updated' : 'created']: toEntry(data) });
      entries.set(text, data);
    } else {
      changes.push({ removed: key });
      entries.delete(text);
    }
  }
  const get = (key: Json): Json | undefined => find(encodeXdr('LedgerKey', key));
  const instanceKey = (contract: string) => ({
    contract_data: { contract, key: 'ledger_key_contract_instance', durability: 'persistent' },
  });

  return {
    find,
    put,
    get,
    instanceKey,
    begin(number: number) {
      ledger = number;
    },
    /** The changes that the work makes. */
    record(work: () => void): Json[] {
      changes = [];
      work();
      return changes;
    },
    /** Takes back all that is done from now on. */
    snapshot() {
      const kept = new Map(entries);
      return () => {
        entries = kept;
      };
    },
    account: (address: string) => get({ account: { account_id: address } })?.account as Json | undefined,
    putAccount: (account: Json) => put({ account: { account_id: account.account_id } }, { account }),
    trustline: (holder: string, asset: unknown) =>
      get({ trustline: { account_id: holder, asset } })?.trustline as Json | undefined,
    putTrustline: (line: Json) =>
      put({ trustline: { account_id: line.account_id, asset: line.asset } }, { trustline: line }),
    instance: (contract: string) =>
      get(instanceKey(contract))?.contract_data.val.contract_instance as Json | undefined,
    putInstance: (contract: string, instance: Json) =>
      put(instanceKey(contract), {
        contract_data: {
          ext: 'v0',
          contract,
          key: 'ledger_key_contract_instance',
          durability: 'persistent',
          val: { contract_instance: instance },
        },
      }),
    hasCode: (hash: string) => get({ contract_code: { hash } }) !== undefined,
    /** The code of contracts, by its hash. */
    putCode: (hash: string, code: string) =>
      put({ contract_code: { hash } }, { contract_code: { ext: 'v0', hash, code } }),
    fund(address: string, stroops: bigint) {
      const account = get({ account: { account_id: address } })?.account ?? newAccount(address, ledger);
      changes = [];
      put(
        { account: { account_id: address } },
        { account: { ...account, balance: String(BigInt(account.balance) + stroops) } },
      );
    },
    newAccount: (address: string) => newAccount(address, ledger),
    /** A contract event; words of topics are symbols, and the amount is the data. */
    event: (contract: string, topics: readonly unknown[], amount: unknown) => ({
      ext: 'v0',
      contract_id: contract,
      type_: 'contract',
      body: {
        v0: {
          topics: topics.map((topic) => (typeof topic === 'string' ? { symbol: topic } : topic)),
          data: typeof amount === 'string' ? { i128: amount } : amount,
        },
      },
    }),
    network,
  };
}

export type LedgerState = ReturnType<typeof createLedgerState>;

function newAccount(address: string, ledger: number): Json {
  return {
    account_id: address,
    balance: '0',
    // Beyond what a number holds exactly, as on the main network.
    seq_num: String(BigInt(ledger + 50_000_000) << 32n),
    num_sub_entries: 0,
    inflation_dest: null,
    flags: 0,
    home_domain: '',
    thresholds: '01000000',
    signers: [],
    ext: 'v0',
  };
}
