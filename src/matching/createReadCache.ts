import type { BlockRef } from '../model/block.ts';
import type {
  Allocation,
  Funding,
  HttpRequest,
  HttpResult,
  Label,
  Reader,
  ScriptResult,
} from '../model/detection.ts';
import type { StateRead, StateResult } from '../model/stateRead.ts';

/** Something that must be asked of the world before an evaluation can go on. */
export type ReadRequest =
  | { readonly type: 'chain'; readonly at: BlockRef; readonly question: StateRead }
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
  | { readonly type: 'allocations'; readonly tenantId: number; readonly contractId: number };

/**
 * How scripts are run: at once, but only as long as the tenant's allowance for the block lasts, or in the background, with
 * a pause after each so that they take no processor for long; otherwise as they come.
 */
export type ScriptPace = { allowance: (tenantId: number) => { leftMs: number } } | 'background';

/** Undefined instead of a script's result: it was not run, because the allowance was used up. */
export type Fetch = (requests: readonly ReadRequest[], pace?: ScriptPace) => Promise<readonly unknown[]>;

/** Answers of one block, shared by all who ask the same. */
export type ReadCache = {
  /** What one subscriber may ask; `at` is the block it is about, undefined off chain. */
  reader(tenantId: number, at: { block: BlockRef; parent: BlockRef } | undefined): Reader;
  /** Asks everything that was found missing; false when nothing is. */
  fetchMissing(): Promise<boolean>;
};

/** Ends an evaluation whose answers are not at hand yet. */
export class NotFetched extends Error {
  override readonly name = 'Missing';
}

/** Ends an evaluation that must be made again later, from its beginning. */
export class EvaluationDeferred extends Error {
  override readonly name = 'Postponed';
}

export function createReadCache(fetch: Fetch): ReadCache {
  const known = new Map<string, unknown>();
  const missing = new Map<string, ReadRequest>();

  function get(key: string, request: ReadRequest): unknown {
    if (known.has(key)) return known.get(key);
    missing.set(key, request);
    throw new NotFetched();
  }

  return {
    reader(tenantId, at) {
      const chain = (question: StateRead, moment: 'block' | 'parent' = 'block') => {
        if (!at) throw new Error('There is no block to ask about.');
        const answer = get(`${at[moment].hash} ${JSON.stringify(question)}`, {
          type: 'chain',
          at: at[moment],
          question,
        }) as StateResult;
        if ('missing' in answer)
          throw new Error(
            `The node cannot answer a question about block ${at[moment].number}: ${answer.missing}`,
          );
        return answer.value;
      };
      const reader: Reader = {
        call: (to, data, moment) => chain({ type: 'call', to, data }, moment) as ReturnType<Reader['call']>,
        balance: (address, moment) => chain({ type: 'balance', address }, moment) as bigint,
        code: (address, moment) => chain({ type: 'code', address }, moment) as string,
        storage: (address, slot, moment) => chain({ type: 'storage', address, slot }, moment) as string,
        receipt: (hash) => chain({ type: 'receipt', hash }) as ReturnType<Reader['receipt']>,
        failureReason({ from, to, input, value }) {
          if (to === null) return null;
          const question = {
            type: 'replay',
            from,
            to,
            data: input,
            value: `0x${value.toString(16)}`,
          } as const;
          const replayed = chain(question, 'parent') as ReturnType<Reader['call']>;
          return 'failure' in replayed ? replayed.failure : null;
        },
        labels: (address) =>
          (get(`labels ${address}`, { type: 'labels', address }) as readonly Label[]).filter(
            (label) => label.tenantId === null || label.tenantId === tenantId,
          ),
        funding: (address) => get(`funding ${address}`, { type: 'funding', address }) as Funding | null,
        script: (source, values) => {
          const valuesKey = JSON.stringify(values, (_, value: unknown) =>
            typeof value === 'bigint' ? `${value}n` : value,
          );
          const result = get(`script ${tenantId} ${valuesKey} ${source}`, {
            type: 'script',
            tenantId,
            source,
            values,
            valuesKey,
          }) as ScriptResult | undefined;
          if (result === undefined) throw new EvaluationDeferred('script time');
          return result;
        },
        http: (request) =>
          get(`http ${tenantId} ${JSON.stringify(request)}`, {
            type: 'http',
            request,
            tenantId,
          }) as HttpResult,
        allocations: (contractId) =>
          get(`allocations ${contractId}`, {
            type: 'allocations',
            tenantId,
            contractId,
          }) as readonly Allocation[],
        all: (questions) => readAll(questions) as never,
      };
      return reader;
    },
    async fetchMissing() {
      if (missing.size === 0) return false;
      const asked = [...missing];
      missing.clear();
      const values = await fetch(asked.map(([, request]) => request));
      for (const [place, [key]] of asked.entries()) known.set(key, values[place]);
      return true;
    },
  };
}

/** Runs every question, so that all that is missing is fetched at once. */
function readAll(questions: readonly (() => unknown)[]): unknown[] {
  let isMissing = false;
  const answers = questions.map((question) => {
    try {
      return question();
    } catch (error) {
      if (!(error instanceof NotFetched)) throw error;
      isMissing = true;
      return undefined;
    }
  });
  if (isMissing) throw new NotFetched();
  return answers;
}
