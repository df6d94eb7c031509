import { createHash } from 'node:crypto';
import { Cbor } from '@icp-sdk/core/agent';
import { IDL } from '@icp-sdk/core/candid';
import type { Principal } from '@icp-sdk/core/principal';
import {
  type IcpBlock,
  type LedgerMethod,
  type LedgerValue,
  ledgerTypes,
  type Operation,
} from '../../src/chains/icp/ledgerTypes.ts';
import {
  accountIdentifier,
  encodePrincipal,
  readAccount,
  showAccount,
} from '../../src/codecs/icp/accounts.ts';
import type { Canister, CanisterHost, Method } from './canister.ts';
import { createHashTree, leb, rootHash } from './hashTree.ts';

type Entry = {
  at: bigint;
  from: string | null;
  to: string | null;
  amount: bigint;
  memo?: Uint8Array | undefined;
  created?: bigint | undefined;
};
type TransferArg = {
  to: { owner: Principal; subaccount: [Uint8Array?] };
  from_subaccount: [Uint8Array?];
  amount: bigint;
  memo: [Uint8Array?];
  created_at_time: [bigint?];
};

const ledgerFee = 10_000n;

/** A ledger as a canister: that of ICP (`query_blocks`) or one of ICRC-1 and ICRC-3, with the oldest entries in an archive. */
export function addLedger(
  replica: CanisterHost,
  id: string,
  {
    kind,
    symbol,
    decimals = 8,
    archive,
  }: { kind: 'icp' | 'icrc'; symbol: string; decimals?: number; archive?: { id: string; length: number } },
) {
  const types = ledgerTypes(IDL);
  const entries: Entry[] = [];
  const balances = new Map<string, bigint>();
  const archivedLength = () => (archive ? Math.min(entries.length, archive.length) : 0);

  function record(entry: Omit<Entry, 'at'>): bigint {
    const add = (account: string | null, amount: bigint) => {
      if (account !== null) balances.set(account, (balances.get(account) ?? 0n) + amount);
    };
    add(entry.from, -entry.amount);
    add(entry.to, entry.amount);
    entries.push({ ...entry, at: BigInt(Date.now()) * 1_000_000n });
    return BigInt(entries.length - 1);
  }

  const queries: Partial<Record<LedgerMethod, Method['run']>> = {
    icrc1_balance_of: ([{ owner, subaccount }]: [{ owner: Principal; subaccount: [Uint8Array?] }]) => [
      balances.get(showAccount({ owner: owner.toUint8Array(), subaccount: subaccount[0] })) ?? 0n,
    ],
    icrc1_total_supply: () => [
      entries.reduce(
        (sum, { from, to, amount }) => sum + (from === null ? amount : 0n) - (to === null ? amount : 0n),
        0n,
      ),
    ],
    icrc1_decimals: () => [decimals],
    icrc1_symbol: () => [symbol],
    icrc1_fee: () => [ledgerFee],
  };
  const blocks: Partial<Record<LedgerMethod, Method['run']>> =
    kind === 'icp'
      ? {
          account_balance: ([{ account }]: [{ account: Uint8Array }]) => [
            {
              e8s:
                [...balances].find(
                  ([holder]) => identifierOf(holder) === Buffer.from(account).toString('hex'),
                )?.[1] ?? 0n,
            },
          ],
          query_blocks: ([{ start, length }]: [{ start: bigint; length: bigint }]) => {
            const first = Math.max(Number(start), archivedLength());
            const end = Math.min(entries.length, Number(start + length));
            return [
              {
                chain_length: BigInt(entries.length),
                certificate: [replica.certificate()],
                first_block_index: BigInt(first),
                blocks: entries.slice(first, Math.max(first, end)).map(toIcpBlock),
                archived_blocks:
                  archive && Number(start) < archivedLength()
                    ? [
                        {
                          start,
                          length: BigInt(Math.min(end, archivedLength()) - Number(start)),
                          callback: [principal(archive.id), 'get_blocks'],
                        },
                      ]
                    : [],
              },
            ];
          },
        }
      : {
          icrc3_get_tip_certificate: () => [
            [{ certificate: replica.certificate(), hash_tree: Cbor.encode(tip()) }],
          ],
          icrc3_get_blocks: ([asked]: { start: bigint; length: bigint }[][]) => [
            getBlocks(asked ?? [], archivedLength()),
          ],
        };

  function getBlocks(asked: readonly { start: bigint; length: bigint }[], from: number) {
    const wanted = asked.flatMap(({ start, length }) =>
      Array.from(
        { length: Math.max(0, Math.min(Number(length), entries.length - Number(start))) },
        (_, place) => Number(start) + place,
      ),
    );
    const old = wanted.filter((index) => index < from);
    return {
      log_length: BigInt(entries.length),
      blocks: wanted
        .filter((index) => index >= from)
        .map((index) => ({ id: BigInt(index), block: toValue(entries[index]!) })),
      archived_blocks:
        archive && old.length > 0
          ? [
              {
                args: [{ start: BigInt(old[0]!), length: BigInt(old.length) }],
                callback: [principal(archive.id), 'icrc3_get_blocks'],
              },
            ]
          : [],
    };
  }

  const tip = () =>
    createHashTree(
      entries.length === 0
        ? { none: new Uint8Array() }
        : {
            last_block_index: leb(BigInt(entries.length - 1)),
            last_block_hash: createHash('sha256').update(String(entries.length)).digest(),
          },
    );
  const toMethods = (runs: Partial<Record<LedgerMethod, Method['run']>>) =>
    Object.fromEntries(
      Object.entries(runs).map(([name, run]) => [
        name,
        { ...types[name as LedgerMethod], isQuery: true, run },
      ]),
    );
  const canister: Canister = {
    controllers: ['r7inp-6aaaa-aaaaa-aaabq-cai'],
    moduleHash: createHash('sha256').update(symbol).digest(),
    certifiedData: () => rootHash(tip()),
    methods: {
      ...toMethods({ ...queries, ...blocks }),
      icrc1_transfer: {
        ...types.icrc1_transfer,
        run: ([arg]: TransferArg[], { caller }: { caller: string }) => [transfer(arg!, caller)],
      },
    },
  };
  replica.canisters.set(id, canister);
  if (archive)
    replica.canisters.set(archive.id, {
      controllers: [id],
      moduleHash: null,
      methods: {
        get_blocks: {
          ...types.archived_blocks,
          isQuery: true,
          run: ([{ start, length }]: [{ start: bigint; length: bigint }]) => [
            {
              Ok: {
                blocks: entries
                  .slice(Number(start), Math.min(archivedLength(), Number(start + length)))
                  .map(toIcpBlock),
              },
            },
          ],
        },
        icrc3_get_blocks: {
          ...types.icrc3_get_blocks,
          isQuery: true,
          run: ([asked]: { start: bigint; length: bigint }[][]) => [getBlocks(asked ?? [], 0)],
        },
      },
    });

  function transfer({ to, from_subaccount, amount, memo, created_at_time }: TransferArg, caller: string) {
    const from = showAccount({ ...readAccount(caller)!, subaccount: from_subaccount[0] });
    const [created] = created_at_time;
    const now = BigInt(Date.now()) * 1_000_000n;
    if (created !== undefined) {
      if (created < now - 24n * 3600n * 10n ** 9n) return { Err: { TooOld: null } };
      const same = entries.findIndex(
        (each) =>
          each.created === created &&
          each.from === from &&
          each.amount === amount &&
          Buffer.compare(each.memo ?? Buffer.of(), memo[0] ?? Buffer.of()) === 0,
      );
      if (same >= 0) return { Err: { Duplicate: { duplicate_of: BigInt(same) } } };
    }
    const balance = balances.get(from) ?? 0n;
    if (balance < amount + ledgerFee) return { Err: { InsufficientFunds: { balance } } };
    balances.set(from, balance - ledgerFee);
    return {
      Ok: record({
        from,
        to: showAccount({ owner: to.owner.toUint8Array(), subaccount: to.subaccount[0] }),
        amount,
        memo: memo[0],
        created,
      }),
    };
  }

  return {
    canister,
    entries,
    mint: (to: string, amount: bigint) => record({ from: null, to, amount }),
    burn: (from: string, amount: bigint) => record({ from, to: null, amount }),
    move: (from: string, to: string, amount: bigint) => record({ from, to, amount }),
    balanceOf: (account: string) => balances.get(account) ?? 0n,
  };
}

const principal = (id: string) =>
  ({ _isPrincipal: true, toUint8Array: () => readAccount(id)!.owner }) as Principal;
const identifierOf = (holder: string) => accountIdentifier(readAccount(holder)!);
const identifierBytes = (holder: string) => Uint8Array.from(Buffer.from(identifierOf(holder), 'hex'));

function toIcpBlock({ at, from, to, amount, memo, created }: Entry): IcpBlock {
  const tokens = { e8s: amount };
  const operation: Operation =
    from === null
      ? { Mint: { to: identifierBytes(to!), amount: tokens } }
      : to === null
        ? ({ Burn: { from: identifierBytes(from), amount: tokens, spender: [] } } as Operation)
        : {
            Transfer: {
              from: identifierBytes(from),
              to: identifierBytes(to),
              amount: tokens,
              fee: { e8s: ledgerFee },
              spender: [],
            },
          };
  return {
    transaction: {
      memo: 0n,
      icrc1_memo: memo ? [memo] : [],
      operation: [operation],
      created_at_time: { timestamp_nanos: created ?? at },
    },
    timestamp: { timestamp_nanos: at },
  };
}

function toValue({ at, from, to, amount, memo, created }: Entry): LedgerValue {
  const account = (text: string): LedgerValue => {
    const { owner, subaccount } = readAccount(text)!;
    return { Array: [{ Blob: owner }, ...(subaccount ? [{ Blob: subaccount }] : [])] };
  };
  const tx: [string, LedgerValue][] = [['amt', { Nat: amount }]];
  if (from !== null) tx.push(['from', account(from)]);
  if (to !== null) tx.push(['to', account(to)]);
  if (memo) tx.push(['memo', { Blob: memo }]);
  if (created !== undefined) tx.push(['ts', { Nat: created }]);
  return {
    Map: [
      ['btype', { Text: from === null ? '1mint' : to === null ? '1burn' : '1xfer' }],
      ['ts', { Nat: at }],
      ['tx', { Map: tx }],
    ],
  };
}

/** The id of a canister that is numbered so. */
export function canisterId(number: number): string {
  const bytes = Buffer.alloc(10);
  bytes.writeBigUInt64BE(BigInt(number));
  bytes[8] = 1;
  bytes[9] = 1;
  return encodePrincipal(bytes);
}
