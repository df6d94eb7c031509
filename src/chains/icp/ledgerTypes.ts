import type { IDL as Idl } from '@icp-sdk/core/candid';
import type { Principal } from '@icp-sdk/core/principal';

type Shape = { readonly args: Idl.Type[]; readonly results: Idl.Type[] };

/** The methods of ledgers that Vigil calls, as far as it reads what they answer: of the ledger of ICP, and of ICRC-1 and ICRC-3. */
export function ledgerTypes(IDL: typeof Idl) {
  const { Nat, Nat64, Int, Text } = IDL;
  const bytes = IDL.Vec(IDL.Nat8);
  const account = IDL.Record({ owner: IDL.Principal, subaccount: IDL.Opt(bytes) });
  const tokens = IDL.Record({ e8s: Nat64 });
  const time = IDL.Record({ timestamp_nanos: Nat64 });
  const operation = IDL.Variant({
    Mint: IDL.Record({ to: bytes, amount: tokens }),
    Burn: IDL.Record({ from: bytes, spender: IDL.Opt(bytes), amount: tokens }),
    Transfer: IDL.Record({ from: bytes, to: bytes, amount: tokens, fee: tokens, spender: IDL.Opt(bytes) }),
    Approve: IDL.Record({ from: bytes, spender: bytes, allowance: tokens, fee: tokens }),
  });
  const block = IDL.Record({
    transaction: IDL.Record({
      memo: Nat64,
      icrc1_memo: IDL.Opt(bytes),
      operation: IDL.Opt(operation),
      created_at_time: time,
    }),
    timestamp: time,
  });
  const range = IDL.Record({ start: Nat64, length: Nat64 });
  const archived = IDL.Variant({ Ok: IDL.Record({ blocks: IDL.Vec(block) }), Err: IDL.Reserved });
  const value = IDL.Rec();
  value.fill(
    IDL.Variant({ Nat, Int, Text, Blob: bytes, Array: IDL.Vec(value), Map: IDL.Vec(IDL.Tuple(Text, value)) }),
  );
  const ranges = IDL.Vec(IDL.Record({ start: Nat, length: Nat }));
  const logged = IDL.Record({
    log_length: Nat,
    blocks: IDL.Vec(IDL.Record({ id: Nat, block: value })),
    archived_blocks: IDL.Vec(
      IDL.Record({ args: ranges, callback: IDL.Func([ranges], [IDL.Reserved], ['query']) }),
    ),
  });
  const transfer = IDL.Record({
    from_subaccount: IDL.Opt(bytes),
    to: account,
    amount: Nat,
    fee: IDL.Opt(Nat),
    memo: IDL.Opt(bytes),
    created_at_time: IDL.Opt(Nat64),
  });
  const transferError = IDL.Variant({
    BadFee: IDL.Record({ expected_fee: Nat }),
    BadBurn: IDL.Record({ min_burn_amount: Nat }),
    InsufficientFunds: IDL.Record({ balance: Nat }),
    TooOld: IDL.Null,
    CreatedInFuture: IDL.Record({ ledger_time: Nat64 }),
    Duplicate: IDL.Record({ duplicate_of: Nat }),
    TemporarilyUnavailable: IDL.Null,
    GenericError: IDL.Record({ error_code: Nat, message: Text }),
  });
  return {
    icrc1_balance_of: { args: [account], results: [Nat] },
    icrc1_total_supply: { args: [], results: [Nat] },
    icrc1_decimals: { args: [], results: [IDL.Nat8] },
    icrc1_symbol: { args: [], results: [Text] },
    icrc1_fee: { args: [], results: [Nat] },
    icrc1_transfer: { args: [transfer], results: [IDL.Variant({ Ok: Nat, Err: transferError })] },
    account_balance: { args: [IDL.Record({ account: bytes })], results: [tokens] },
    query_blocks: {
      args: [range],
      results: [
        IDL.Record({
          chain_length: Nat64,
          certificate: IDL.Opt(bytes),
          blocks: IDL.Vec(block),
          first_block_index: Nat64,
          archived_blocks: IDL.Vec(
            IDL.Record({ start: Nat64, length: Nat64, callback: IDL.Func([range], [archived], ['query']) }),
          ),
        }),
      ],
    },
    /** Of an archive of the ledger of ICP, whatever its method is called. */
    archived_blocks: { args: [range], results: [archived] },
    icrc3_get_blocks: { args: [ranges], results: [logged] },
    icrc3_get_tip_certificate: {
      args: [],
      results: [IDL.Opt(IDL.Record({ certificate: bytes, hash_tree: bytes }))],
    },
  } satisfies Record<string, Shape>;
}

export type LedgerMethod = keyof ReturnType<typeof ledgerTypes>;

type Tokens = { readonly e8s: bigint };
type Time = { readonly timestamp_nanos: bigint };
export type Operation =
  | { readonly Mint: { to: Uint8Array; amount: Tokens } }
  | { readonly Burn: { from: Uint8Array; amount: Tokens } }
  | {
      readonly Transfer: {
        from: Uint8Array;
        to: Uint8Array;
        amount: Tokens;
        fee: Tokens;
        spender: [Uint8Array?];
      };
    }
  | { readonly Approve: { from: Uint8Array; spender: Uint8Array } };
export type IcpBlock = {
  readonly transaction: {
    memo: bigint;
    icrc1_memo: [Uint8Array?];
    operation: [Operation?];
    created_at_time: Time;
  };
  readonly timestamp: Time;
};
export type QueryBlocks = {
  readonly chain_length: bigint;
  readonly certificate: [Uint8Array?];
  readonly blocks: readonly IcpBlock[];
  readonly first_block_index: bigint;
  readonly archived_blocks: readonly { start: bigint; length: bigint; callback: [Principal, string] }[];
};
export type LedgerValue =
  | { readonly Nat: bigint }
  | { readonly Int: bigint }
  | { readonly Text: string }
  | { readonly Blob: Uint8Array }
  | { readonly Array: readonly LedgerValue[] }
  | { readonly Map: readonly [string, LedgerValue][] };
export type GetBlocks = {
  readonly log_length: bigint;
  readonly blocks: readonly { id: bigint; block: LedgerValue }[];
  readonly archived_blocks: readonly {
    args: { start: bigint; length: bigint }[];
    callback: [Principal, string];
  }[];
};
