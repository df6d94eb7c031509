import { zip } from '../lib/zip.ts';
import type { Block, BlockRef, Receipt, Transaction } from '../model/block.ts';
import type {
  AlertQuestion,
  Allocation,
  CallResult,
  Funding,
  HttpRequest,
  HttpResult,
  Label,
  Reader,
  ScriptResult,
} from '../model/detection.ts';
import { labelsFor } from '../model/label.ts';
import type { Origin, OriginQuery } from '../model/origin.ts';
import type { StateRead, StateResult, Trace, WaitingQuery } from '../model/stateRead.ts';

/** Something that an evaluation reads and that must be fetched before it can continue. */
export type ReadRequest =
  | { readonly type: 'chain'; readonly at: BlockRef; readonly question: StateRead }
  /** The same of the newest block that nodes have, where the state of an older one is gone. */
  | { readonly type: 'newest'; readonly question: StateRead }
  | ({ readonly type: 'waiting' } & WaitingQuery)
  | ({ readonly type: 'origin'; readonly at: BlockRef } & OriginQuery)
  | { readonly type: 'labels'; readonly address: string }
  | { readonly type: 'funding'; readonly address: string }
  | {
      readonly type: 'script';
      readonly tenantId: number;
      readonly source: string;
      readonly values: Readonly<Record<string, unknown>>;
      readonly valuesKey: string;
    }
  | { readonly type: 'http'; readonly request: HttpRequest; readonly tenantId: number }
  | { readonly type: 'allocations'; readonly tenantId: number; readonly contractId: number }
  | ({ readonly type: 'newestAlert'; readonly tenantId: number } & AlertQuestion);

type ReadResults = {
  chain: StateResult;
  newest: StateResult;
  waiting: readonly Transaction[] | { readonly missing: string };
  origin: Origin | { readonly missing: string };
  labels: readonly Label[];
  funding: Funding | null;
  /** Undefined: the script did not run, because the allowance was used up. */
  script: ScriptResult | undefined;
  http: HttpResult;
  allocations: readonly Allocation[];
  newestAlert: { readonly uid: string; readonly timestamp: number } | null;
};

type ChainValues = {
  call: CallResult;
  balance: bigint;
  code: string;
  holding: bigint;
  supply: bigint;
  decimals: number;
  symbol: string;
  storage: string;
  receipt: Receipt;
  trace: Trace;
  replay: CallResult;
};

/**
 * The pace of scripts: at once, while the tenant's allowance for the block lasts; in the background, with a pause after
 * each, to spare the processor; or without limits.
 */
export type ScriptPace = { allowance: (tenantId: number) => { remainingMs: number } } | 'background';

/** Results in the order of the requests, each of the type that `ReadResults` names. */
export type Fetch = (requests: readonly ReadRequest[], pace?: ScriptPace) => Promise<readonly unknown[]>;

/** The observed block and its parent, and what the block itself reports of outcomes and balances. */
export type Moment = { block: BlockRef; parent: BlockRef } & Pick<Block, 'receiptOf' | 'holdingOf'>;

/** Reads for one block, shared by all subscribers that read the same. */
export type ReadCache = {
  /** The reads of one subscriber; `at` is the observed block, undefined off chain. */
  reader(tenantId: number, at: Moment | undefined, gaps: Gaps): Reader;
  /** Fetches everything that readers missed; false when they missed nothing. */
  fetchMissing(): Promise<boolean>;
};

/** Handling of reads that no node can answer. */
export type Gaps = {
  /** Waiting is over: the newest state stands in for one that cannot be read. */
  readonly isFinal: boolean;
  /** Reasons why the evaluation is incomplete. */
  readonly notes: Set<string>;
};

/** No node can answer a read at the moment, or ever again. */
export class ReadFailed extends Error {
  override readonly name = 'ReadFailed';
  readonly isGone: boolean;

  constructor(message: string, isGone: boolean) {
    super(message);
    this.isGone = isGone;
  }
}

/** Ends an evaluation that reads something not fetched yet. */
export class NotFetched extends Error {
  override readonly name = 'NotFetched';
}

/** Ends an evaluation that must be repeated later, from its beginning. */
export class EvaluationDeferred extends Error {
  override readonly name = 'EvaluationDeferred';
}

/** One for all, because it ends most evaluations once and a stack trace takes longer than the evaluation. */
const notFetched = new NotFetched();

export function createReadCache(fetch: Fetch): ReadCache {
  const cached = new Map<string, unknown>();
  const missing = new Map<string, ReadRequest>();

  function get<T extends ReadRequest['type']>(
    key: string,
    request: Extract<ReadRequest, { type: T }>,
  ): ReadResults[T] {
    if (cached.has(key)) return cached.get(key) as ReadResults[T];
    missing.set(key, request);
    throw notFetched;
  }

  return {
    reader(tenantId, observed, gaps) {
      let hasStandIns = gaps.isFinal;

      function readChain<T extends StateRead['type']>(
        question: StateRead & { type: T },
        moment: 'block' | 'parent' = 'block',
      ): ChainValues[T] {
        if (!observed) throw new Error('There is no block to read from.');
        const { number, hash } = observed[moment];
        const key = `${hash} ${JSON.stringify(question)}`;
        const answer = get<'chain'>(key, { type: 'chain', at: observed[moment], question });
        if ('value' in answer) return answer.value as ChainValues[T];
        const failure = `The node cannot read the state of block ${number}: ${answer.missing}`;
        const newest = hasStandIns ? standIn(question) : answer;
        if ('missing' in newest) throw new ReadFailed(failure, answer.isGone === true);
        gaps.notes.add(failure);
        return newest.value as ChainValues[T];
      }

      /** A transaction whose receipt cannot be read counts as successful: a finding too much is better than none. */
      function standIn(question: StateRead): StateResult {
        return question.type === 'receipt'
          ? { value: { isSuccess: true, used: 0n, price: 0n, contractAddress: null } }
          : get<'newest'>(`newest ${JSON.stringify(question)}`, { type: 'newest', question });
      }

      function orUndefined<T>(question: () => T): T | undefined {
        const had = hasStandIns;
        hasStandIns = false;
        try {
          return question();
        } catch (error) {
          if (!(error instanceof ReadFailed)) throw error;
          gaps.notes.add(error.message);
          return undefined;
        } finally {
          hasStandIns = had;
        }
      }

      return {
        call: (to, data, moment) => readChain<'call'>({ type: 'call', to, data }, moment),
        balance: (address, moment) =>
          observed?.holdingOf?.('native', address, moment ?? 'block') ??
          readChain<'balance'>({ type: 'balance', address }, moment),
        code: (address, moment) => readChain<'code'>({ type: 'code', address }, moment),
        holding: (asset, holder, moment) =>
          observed?.holdingOf?.(asset, holder, moment ?? 'block') ??
          readChain<'holding'>({ type: 'holding', asset, holder }, moment),
        supply: (asset, moment) => readChain({ type: 'supply', asset }, moment),
        decimals: (asset) => readChain({ type: 'decimals', asset }),
        symbol: (asset) => readChain({ type: 'symbol', asset }),
        interface: (address) =>
          JSON.parse(readChain<'storage'>({ type: 'storage', address, key: 'interface' })),
        storage: (address, key, moment) => readChain<'storage'>({ type: 'storage', address, key }, moment),
        receipt: (hash) => observed?.receiptOf?.(hash) ?? readChain<'receipt'>({ type: 'receipt', hash }),
        trace: (hash) => readChain<'trace'>({ type: 'trace', hash }).calls,
        failureReason({ hash, from, to, input, value }) {
          const reported = observed?.receiptOf?.(hash)?.failure;
          if (reported !== undefined || to === null) return reported ?? null;
          const hexValue = `0x${value.toString(16)}`;
          const replayed = readChain<'replay'>(
            { type: 'replay', from, to, data: input, value: hexValue },
            'parent',
          );
          return 'failure' in replayed ? replayed.failure : null;
        },
        labels: (address) =>
          labelsFor(tenantId, get<'labels'>(`labels ${address}`, { type: 'labels', address })),
        funding: (address) => get<'funding'>(`funding ${address}`, { type: 'funding', address }),
        waiting(address, inputs) {
          const transactions = get<'waiting'>(`waiting ${address} ${inputs.join()}`, {
            type: 'waiting',
            address,
            inputs,
          });
          if ('missing' in transactions)
            throw new ReadFailed(`No node shows the transactions that wait: ${transactions.missing}`, false);
          return transactions;
        },
        origin(query) {
          if (!observed) throw new Error('There is no block to read from.');
          const { parent } = observed;
          const origin = get<'origin'>(`${parent.hash} origin ${JSON.stringify(query)}`, {
            type: 'origin',
            at: parent,
            ...query,
          });
          if ('missing' in origin)
            throw new ReadFailed(`No node shows where ${query.token} came from: ${origin.missing}`, true);
          return origin;
        },
        script: (source, values) => {
          const valuesKey = JSON.stringify(values, (_, value: unknown) =>
            typeof value === 'bigint' ? `${value}n` : value,
          );
          const key = `script ${tenantId} ${valuesKey} ${source}`;
          const result = get<'script'>(key, { type: 'script', tenantId, source, values, valuesKey });
          if (result === undefined) throw new EvaluationDeferred('script time');
          return result;
        },
        http: (request) =>
          get<'http'>(`http ${tenantId} ${JSON.stringify(request)}`, { type: 'http', request, tenantId }),
        allocations: (contractId) =>
          get<'allocations'>(`allocations ${contractId}`, { type: 'allocations', tenantId, contractId }),
        newestAlert: (question) =>
          get<'newestAlert'>(`alert ${tenantId} ${JSON.stringify(question)}`, {
            type: 'newestAlert',
            tenantId,
            ...question,
          }),
        optional: orUndefined,
        degradable: (question) => (gaps.isFinal ? orUndefined(question) : question()),
        all: (reads) => readAll(reads) as never,
      };
    },
    async fetchMissing() {
      if (missing.size === 0) return false;
      const requested = [...missing];
      missing.clear();
      const results = await fetch(requested.map(([, request]) => request));
      for (const [[key], result] of zip(requested, results)) cached.set(key, result);
      return true;
    },
  };
}

/** Runs every read, so that everything missing is fetched at once. */
function readAll(reads: readonly (() => unknown)[]): unknown[] {
  let isMissing = false;
  const results = reads.map((read) => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof NotFetched)) throw error;
      isMissing = true;
      return undefined;
    }
  });
  if (isMissing) throw notFetched;
  return results;
}
