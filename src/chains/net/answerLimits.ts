import type { JsonLimits } from '../../lib/createJsonIntake.ts';
import { membersOf } from '../../lib/isRecord.ts';
import type { RpcCall } from './rpc.ts';

export type AnswerLimits = JsonLimits & { readonly maxBytes: number };

const KiB = 1024;
const MiB = 1024 * KiB;

/** Limits of the answer to one call, by the kind of call. */
export const answerKinds = {
  /** Names, numbers, hashes, fees, and what comes of sending a transaction. */
  small: { maxBytes: 64 * KiB, maxValues: 4096, maxDepth: 32 },
  /** A header with the hashes of its transactions, one transaction, the code of a contract. */
  single: { maxBytes: 1 * MiB, maxValues: 50_000, maxDepth: 64 },
  /** A block of an ordinary chain, a receipt. */
  block: { maxBytes: 16 * MiB, maxValues: 500_000, maxDepth: 64 },
  /** Answers and state of contracts and accounts. */
  state: { maxBytes: 16 * MiB, maxValues: 500_000, maxDepth: 64 },
  /** Logs, blocks of Bitcoin and Solana, ledgers of Stellar, outputs and accounts that are searched for. */
  large: { maxBytes: 64 * MiB, maxValues: 2_000_000, maxDepth: 64 },
  /** Calls go 1,024 deep, with two brackets each. */
  trace: { maxBytes: 64 * MiB, maxValues: 4_000_000, maxDepth: 4096 },
} as const satisfies Record<string, AnswerLimits>;

type AnswerKind = keyof typeof answerKinds;

/** Every other call is small. */
const kindOfMethod: Readonly<Record<string, AnswerKind | ((params: RpcCall['params']) => AnswerKind)>> = {
  eth_call: 'state',
  eth_estimateGas: 'single',
  eth_getBlockByNumber: (params) => (second(params) === true ? 'block' : 'single'),
  eth_getBlockReceipts: 'large',
  eth_getCode: 'single',
  eth_getFilterChanges: 'block',
  eth_getLogs: 'large',
  eth_getTransactionByHash: 'single',
  eth_getTransactionReceipt: 'block',
  eth_sendRawTransaction: 'single',
  eth_simulateV1: 'state',
  txpool_content: 'large',
  debug_traceBlockByHash: 'trace',
  debug_traceCall: 'trace',
  debug_traceTransaction: 'trace',
  trace_block: 'trace',
  trace_call: 'trace',
  trace_transaction: 'trace',

  getblock: 'large',
  getrawmempool: 'block',
  getrawtransaction: 'block',
  gettxspendingprevout: 'single',
  scantxoutset: 'large',

  getBlock: 'large',
  getMultipleAccounts: 'state',
  getTokenAccountsByOwner: 'state',
  getTransaction: 'block',
  simulateTransaction: 'state',

  getLedgers: 'large',
  getLedgerEntries: 'state',

  'POST /wallet/getblock': (params) => (membersOf(second(params)).detail === true ? 'block' : 'single'),
  'POST /wallet/getaccount': 'single',
  'POST /wallet/getaccountresource': 'single',
  'POST /wallet/getchainparameters': 'single',
  'POST /wallet/getcontractinfo': 'single',
  'POST /wallet/getnodeinfo': 'single',
  'POST /wallet/gettransactioninfobyblocknum': 'large',
  'POST /wallet/gettransactioninfobyid': 'block',
  'POST /wallet/triggerconstantcontract': 'state',
  'POST /walletsolidity/getnowblock': 'block',
  'POST /jsonrpc': 'single',

  'GET /blocks': (params) => (String(first(params)).includes('expanded=true') ? 'block' : 'single'),
  'GET /accounts': 'single',
  'GET /transactions': 'block',
  'POST /accounts': 'state',

  query: 'state',
  read_state: 'state',
};

/** No answer to several calls may have more, however many they are. */
const most: AnswerLimits = { maxBytes: 64 * MiB, maxValues: 4_000_000, maxDepth: 4096 };

/** Limits of the one answer to all these calls. */
export function limitsOf(calls: readonly RpcCall[]): AnswerLimits {
  const kinds = calls.map((call) => answerKinds[kindOf(call)]);
  const sum = (member: keyof AnswerLimits) => kinds.reduce((total, limits) => total + limits[member], 0);
  return {
    maxBytes: Math.min(most.maxBytes, sum('maxBytes')),
    maxValues: Math.min(most.maxValues, sum('maxValues')),
    // The list of a batch and the record of a reply are around each.
    maxDepth: Math.max(...kinds.map(({ maxDepth }) => maxDepth)) + 2,
  };
}

/** True if contracts choose the size of the answer; beyond the limit the node is not at fault. */
export function isOfContracts(call: RpcCall): boolean {
  return ['state', 'trace'].includes(kindOf(call));
}

function kindOf({ method, params }: RpcCall): AnswerKind {
  const kind = kindOfMethod[method] ?? 'small';
  return typeof kind === 'string' ? kind : kind(params);
}

function first(params: RpcCall['params']): unknown {
  return Object.values(params)[0];
}

function second(params: RpcCall['params']): unknown {
  return Object.values(params)[1];
}
