import { hexToBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import {
  loaderProgram,
  nonceInstruction,
  numberOf,
  systemProgram,
  token2022Program,
  tokenProgram,
} from '../../codecs/solana/programs.ts';
import type { Change, TransactionCall } from '../../model/block.ts';

type Found = Omit<Change, 'position'>;
/** Owner of a token account, from the transaction's balances. */
type OwnerOf = (account: string) => string | undefined;

/** Changes of control over programs, tokens and accounts by the calls of a successful transaction. */
export function findChanges(calls: readonly TransactionCall[], ownerOf: OwnerOf): Change[] {
  return calls
    .flatMap((call) => readers[call.contract]?.(call, ownerOf) ?? [])
    .map((change, position) => ({ ...change, position }));
}

const readers: Readonly<Record<string, ((call: TransactionCall, ownerOf: OwnerOf) => Found[]) | undefined>> =
  {
    [loaderProgram]: ofLoader,
    [tokenProgram]: ofToken,
    [token2022Program]: ofToken,
    [systemProgram]: ofSystem,
  };

/** Instructions of the upgradeable loader. */
const upgrade = 3;
const setLoaderAuthority = 4;
const close = 5;
const setLoaderAuthorityChecked = 7;

function ofLoader({ input, accounts = [] }: TransactionCall): Found[] {
  const [first = '', second = '', third, fourth] = accounts;
  switch (numberOf(input)) {
    // Accounts: where the code lies, the program, and the buffer that the new code comes from.
    case upgrade:
      return [{ subject: second, what: 'code', after: third ?? null }];
    // Of where the code lies, which is an account of its own.
    case setLoaderAuthority:
    case setLoaderAuthorityChecked:
      return [{ subject: first, what: 'owner', before: second, after: third ?? null }];
    // A buffer can be closed as well, and belongs to no program.
    case close:
      return fourth === undefined ? [] : [{ subject: fourth, what: 'code', after: null }];
    default:
      return [];
  }
}

/** Instructions of the token programs, and what follows the first byte in those of its extensions. */
const setAuthority = 6;
const freezeAccount = 10;
const thawAccount = 11;
const permanentDelegate = 35;
const pausable = 44;
const pause = 1;
const resume = 2;

/** Roles by kind of authority; the later ones are of Token-2022. */
const authorities: readonly [Change['what'], string?][] = [
  ['mint'],
  ['freeze'],
  ['owner'],
  ['permission', 'close authority'],
  ['permission', 'transfer fee authority'],
  ['permission', 'withheld fee authority'],
  ['permission', 'close mint authority'],
  ['permission', 'interest rate authority'],
  ['permission', 'permanent delegate'],
  ['permission', 'confidential transfer authority'],
  ['permission', 'transfer hook authority'],
  ['permission', 'confidential fee authority'],
  ['permission', 'metadata pointer authority'],
  ['permission', 'group pointer authority'],
  ['permission', 'group member pointer authority'],
  ['permission', 'amount scale authority'],
  ['permission', 'pause authority'],
];

function ofToken({ input, accounts = [] }: TransactionCall, ownerOf: OwnerOf): Found[] {
  const bytes = hexToBytes(input);
  const [first = '', second = ''] = accounts;
  switch (bytes[0] ?? -1) {
    case setAuthority: {
      const [what, part] = authorities[bytes[1] ?? 0] ?? (['permission', 'authority'] as const);
      const change: Found = {
        subject: first,
        what,
        before: second,
        after: keyAt(bytes, 2),
        ...(part !== undefined && { part }),
      };
      // The one who gives a token account away may be watched, and not the account.
      return what === 'owner' ? [change, { ...change, subject: second, part: first }] : [change];
    }
    case freezeAccount:
    case thawAccount: {
      const isFrozen = bytes[0] === freezeAccount;
      const change = { what: 'frozen', before: String(!isFrozen), after: String(isFrozen) } as const;
      const owner = ownerOf(first);
      const holders = [second, ...(owner === undefined ? [] : [owner])];
      return [
        { subject: first, ...change },
        ...holders.map((subject): Found => ({ subject, part: first, ...change })),
      ];
    }
    case permanentDelegate:
      return [
        {
          subject: first,
          what: 'permission',
          part: 'permanent delegate',
          before: null,
          after: keyAt(bytes, 0, true),
        },
      ];
    case pausable:
      return bytes[1] === pause || bytes[1] === resume
        ? [
            {
              subject: first,
              what: 'frozen',
              before: String(bytes[1] === resume),
              after: String(bytes[1] === pause),
            },
          ]
        : [];
    default:
      return [];
  }
}

const assign = 1;

function ofSystem({ input, accounts = [] }: TransactionCall): Found[] {
  const bytes = hexToBytes(input);
  const [first = ''] = accounts;
  const number = numberOf(input);
  // From then on the program alone decides what becomes of the account, and not who has its key.
  if (number === assign)
    return [{ subject: first, what: 'owner', before: systemProgram, after: keyAt(bytes, 3, true) }];
  if (number === nonceInstruction.authorize)
    return [
      {
        subject: first,
        what: 'owner',
        part: 'nonce authority',
        ...(accounts[1] !== undefined && { before: accounts[1] }),
        after: keyAt(bytes, 3, true),
      },
    ];
  return [];
}

/** A key after the byte at this place, which says whether there is one, unless there always is. */
function keyAt(bytes: Uint8Array, offset: number, isAlways = false): string | null {
  if (!isAlways && bytes[offset] !== 1) return null;
  const key = bytes.subarray(offset + 1, offset + 33);
  return key.length === 32 ? base58.encode(key) : null;
}
