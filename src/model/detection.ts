import type { TSchema } from 'typebox';
import type { Schedule } from '../lib/schedule.ts';
import type { Severity } from './alert.ts';
import type {
  Block,
  BlockRef,
  Change,
  Frame,
  InnerCall,
  Log,
  Receipt,
  Transaction,
  TransactionCall,
  Transfer,
} from './block.ts';
import type { ChainUid } from './chainUid.ts';
import type { ContractKind, Inspection } from './contractKinds.ts';
import type { TriggerType } from './enumerations.ts';
import type { Fault } from './errors.ts';
import type { Family } from './family.ts';
import type { AddressLabel } from './label.ts';
import type { Origin, OriginQuery } from './origin.ts';

/** Everything that a detector or trigger can observe. */
export type Observation =
  | { readonly type: 'log'; readonly block: Block; readonly transaction: Transaction; readonly log: Log }
  | { readonly type: 'transaction'; readonly block: Block; readonly transaction: Transaction }
  /**
   * One of the transfers, calls or changes of a transaction; `position` tells transfers of one transaction apart. What happens
   * within has the frames, of which `position` is one.
   */
  | {
      readonly type: 'transfer';
      readonly block: Block;
      readonly transaction: Transaction;
      readonly transfer: Transfer;
      readonly position: number;
      readonly frames?: readonly Frame[];
    }
  | {
      readonly type: 'call';
      readonly block: Block;
      readonly transaction: Transaction;
      readonly call: TransactionCall;
      readonly frames?: readonly Frame[];
    }
  | {
      readonly type: 'change';
      readonly block: Block;
      readonly transaction: Transaction;
      readonly change: Change;
    }
  /** A transaction with all that happened within it. */
  | {
      readonly type: 'trace';
      readonly block: Block;
      readonly transaction: Transaction;
      readonly frames: readonly Frame[];
    }
  /** A contract whose code names the address is created: by the transaction itself, or by the frame at `position`. */
  | {
      readonly type: 'deployment';
      readonly block: Block;
      readonly transaction: Transaction;
      readonly creation: Creation;
      readonly position: number;
    }
  | { readonly type: 'block'; readonly block: Block; readonly previous: BlockTime | undefined }
  | {
      readonly type: 'reorg';
      readonly dropped: readonly BlockRef[];
      readonly added: readonly BlockRef[];
      readonly at: number;
    }
  /** The wall clock, for what happens off chain or when a chain halts. */
  | {
      readonly type: 'clock';
      readonly at: number;
      readonly newest: BlockTime | undefined;
      /** The newest block that was read; behind `newest` while blocks remain to be caught up with. */
      readonly processed?: BlockTime | undefined;
    };

/** `contract` is null where only the receipt tells it. */
type Creation = { readonly creator: string; readonly contract: string | null; readonly code: string };

type BlockTime = { readonly number: number; readonly timestamp: number };

/**
 * The part of a chain that a subscriber observes. Addresses and keys are looked up in maps, so a block costs the same
 * for any number of subscribers. `inner` adds inner calls.
 */
export type Interest =
  /** A log that the address emits; any log when no keys are named. */
  | { readonly on: 'log'; readonly address: string; readonly keys?: readonly string[] }
  /** A log of any emitter with one of these keys that has the address among its parties. */
  | { readonly on: 'party'; readonly address: string; readonly keys: readonly string[] }
  /** A transaction sent to the address; any call when no keys are named. Where transactions have calls, each of these by itself. */
  | {
      readonly on: 'call';
      readonly address: string;
      readonly keys?: readonly string[];
      readonly inner?: boolean;
    }
  /** A transfer of the address as an asset, or from it or to it; shown only where transactions have parties, or within. */
  | { readonly on: 'transfer'; readonly address: string; readonly inner?: boolean }
  /** A change of who or what controls the address; of any kind when no keys are named. */
  | { readonly on: 'change'; readonly address: string; readonly keys?: readonly Change['what'][] }
  /** A transaction that touches the address, also within, with its frames; only where nodes trace. */
  | { readonly on: 'trace'; readonly address: string }
  /** The creation of a contract whose code or arguments name the address. */
  | { readonly on: 'deployment'; readonly address: string }
  /** A transaction sent by the address. */
  | { readonly on: 'sender'; readonly address: string }
  /** A transaction that has anything to do with the address, once: sent to or by it, a log of it, or a log that names it. */
  | { readonly on: 'touch'; readonly address: string; readonly inner?: boolean }
  /** Every block, or the first block at or after each time of the schedule. */
  | { readonly on: 'block'; readonly schedule?: Schedule }
  | { readonly on: 'reorg' }
  | { readonly on: 'clock'; readonly schedule: Schedule };

/** The contract (or wallet) that is watched. */
export type ContractFacts = {
  readonly id: number;
  readonly tenantId: number;
  readonly projectId: number;
  readonly chainUid: ChainUid;
  readonly address: string;
  readonly implementation: string | null;
  readonly name: string;
  readonly addressType: string;
  /** Events and functions of its ABI, in the order given; empty when it has none of its own. */
  readonly abi: readonly unknown[];
  /** Contracts that the tenant watches on the chain, by address: this one and all others. */
  readonly own?: Readonly<Record<string, OwnContract>>;
};

type OwnContract = Pick<ContractFacts, 'name' | 'projectId'>;

export type Label = Readonly<
  Pick<AddressLabel, 'tenantId' | 'address' | 'name' | 'tags' | 'score' | 'source'>
>;

/** Source of an address's first money, as far as it came from a labelled source. */
export type Funding = {
  readonly source: string;
  readonly tags: readonly string[];
  readonly hops: number;
  readonly transactionHash: string;
  readonly timestamp: number;
};

export type CallResult = { readonly data: string } | { readonly failure: string };
export type HttpRequest = {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
};
export type HttpResult =
  | {
      readonly status: number;
      readonly body: string;
      readonly durationMs: number;
      /**
       * The response came from a private network. `withheld`: its body is left out, because every tenant may send
       * requests there. `unshown`: the body may be checked, but is never shown.
       */
      readonly internal?: 'withheld' | 'unshown';
    }
  | { readonly failure: string };
export type ScriptResult =
  | { readonly value: unknown }
  | {
      readonly fault: {
        readonly code?: string;
        readonly message: string;
        readonly line?: number;
        readonly column?: number;
      };
    };
/** A planned allocation of a token: whose address should hold how much from when on. */
export type Allocation = {
  readonly name: string;
  readonly address: string | null;
  readonly amounts: readonly { readonly at: number; readonly amount: string }[];
};

/** About the tenant's alerts, or those of one of its contracts or projects. */
export type AlertQuestion = {
  readonly query: string;
  readonly contractId?: number;
  readonly projectId?: number;
  readonly since: number;
};

type StateAt = 'block' | 'parent';

/**
 * Reads beyond the observation. A value not fetched yet ends the evaluation, which repeats once it is there. Reads see
 * the state after the observed block (or its parent); chains without history, the newest.
 */
export type Reader = {
  call(to: string, data: string, at?: StateAt): CallResult;
  balance(address: string, at?: StateAt): bigint;
  code(address: string, at?: StateAt): string;
  /** The holder's amount and the supply of an asset, in smallest units. */
  holding(asset: string, holder: string, at?: StateAt): bigint;
  supply(asset: string, at?: StateAt): bigint;
  decimals(asset: string): number;
  symbol(asset: string): string;
  storage(address: string, key: string, at?: StateAt): string;
  /** The interface that a contract carries itself, on Stellar and the Internet Computer. */
  interface(address: string): readonly unknown[];
  receipt(transactionHash: string): Receipt;
  /** Every call within a transaction, in order; null where no node traces. Expensive for nodes: only for rare observations. */
  trace(transactionHash: string): readonly InnerCall[] | null;
  /** The accounts that gave the holder a token before the block, within about a day. Expensive for nodes: only for findings. */
  origin(query: OriginQuery): Origin;
  /** The reason why a transaction failed, found by replaying it on the state before its block. */
  failureReason(transaction: Transaction): string | null;
  /** Labels of the platform and of the tenant, whose own stand in for those that Vigil ships. */
  labels(address: string): readonly Label[];
  funding(address: string): Funding | null;
  /**
   * Transactions that wait for a block now and involve the address or spend one of the inputs. Only for evaluations by
   * the clock, because the answer is of the moment and not of a block.
   */
  waiting(address: string, inputs: readonly string[]): readonly Transaction[];
  script(source: string, values: Readonly<Record<string, unknown>>): ScriptResult;
  http(request: HttpRequest): HttpResult;
  allocations(contractId: number): readonly Allocation[];
  /** The newest stored alert that matches, not older than `since`. It is of the moment, so that only what the clock shows may read it. */
  newestAlert(question: AlertQuestion): { readonly uid: string; readonly timestamp: number } | null;
  /**
   * Undefined if nodes cannot answer, and the finding is marked as incomplete. `optional` gives up at once, for reads
   * that an alert can do without; `degradable` waits first, as any read does.
   */
  optional<T>(question: () => T): T | undefined;
  degradable<T>(question: () => T): T | undefined;
  /** Fetches several values in one go instead of one after the other. */
  all<const T extends readonly (() => unknown)[]>(
    questions: T,
  ): { [K in keyof T]: T[K] extends () => infer R ? R : never };
};

/** Input of an evaluation besides the observation. */
export type EvaluationContext<Config, State> = {
  readonly config: Config;
  readonly contract: ContractFacts;
  readonly chain: ChainFacts;
  /** The state that the last evaluation stored, undefined at first. JSON, at most 64 kB; big numbers as decimal text. */
  readonly state: State | undefined;
  readonly read: Reader;
};

export type ChainFacts = {
  readonly uid: string;
  readonly family: Family;
  readonly blockTimeMs: number;
  readonly symbol: string;
  readonly decimals: number;
  /** The form of an address in which it is matched. */
  canonical(address: string): string;
  /** An address as people know it; undefined where that is its canonical form. */
  readonly show?: (canonical: string) => string;
};

/** The interfaces that other contracts carry: null for one that carries none, nothing for one that no node answers for. */
export type Interfaces = ReadonlyMap<string, readonly unknown[] | null>;

/** A finding as the detector reports it, before it is bound to a tenant, a contract and a block. */
export type Detection = {
  /** Severity of the finding; the definition's own unless given. A configured severity outranks both. */
  readonly severity?: Severity;
  /** One sentence for people, used unless the configuration has a `desc` of its own. */
  readonly message: string;
  /** Evidence: the alert's `meta`, and what `{member}` of a message template stands for. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** It reports that a condition has ended: INFO whatever is configured, with its own message, and no action fires. */
  readonly isEnd?: true;
  /** Tells findings of one observation apart where there can be several. */
  readonly part?: string;
  /**
   * Amount at stake, in the detector's own measure (a share, a multiple of its threshold). At least twice the reported
   * magnitude breaks the cooldown.
   */
  readonly magnitude?: number;
  /** Position of the frame that it is about, where it is about one of several. */
  readonly frame?: number;
  /** The transaction, where the observation has none or another. */
  readonly transactionHash?: string;
  /** Members of a message template that have a format, as it writes them: `{args.amount | token}`. */
  readonly shown?: Readonly<Record<string, string>>;
};

/** One holding of the contract, in smallest units; `usd` where a price answers. */
export type HoldingSample = {
  readonly asset: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly units: bigint;
  readonly usd?: string;
};

export type EvaluationResult<State> = {
  readonly detections?: readonly Detection[];
  readonly state?: State;
  /** Holdings that the detector has just looked at. Called only when a sample is due, about once an hour. */
  readonly holdings?: () => readonly HoldingSample[];
};

const categories = ['SECURITY', 'COMPLIANCE', 'FINANCIAL', 'OPERATIONAL'] as const;

/** A configuration that fits a contract, and the reason for the person who decides. */
type Proposal = { readonly config?: Readonly<Record<string, unknown>>; readonly reason: string };

/** A kind of contract, every contract, or an account without code. */
type RecommendedFor = {
  readonly [kind in ContractKind | 'CONTRACT' | 'ACCOUNT']?: (inspection: Inspection) => Proposal | undefined;
};

/** A kind of detector: what it is called, how it is configured, what it wants to see and what it makes of it. */
export type Detector<Config = unknown, State = unknown> = {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly category: (typeof categories)[number];
  /** Families of the chains that it works on; a contract of another one is refused. */
  readonly families: readonly Family[];
  /** Contracts for which it is proposed. Its limits must be quiet on blocks of every day. */
  readonly recommendedFor?: RecommendedFor;
  /** AUTO: every finding brings its own. */
  readonly severity: Severity | 'AUTO';
  readonly description: string;
  /** One question that people ask about it, with the answer. */
  readonly faq: string;
  /** Advice to the receiver of its alert on the first step; notifications end with it. */
  readonly nextStep: string;
  /** JSON Schema of the configuration, without the members that every detector has. */
  readonly config: TSchema;
  /** Members of its findings, each of which a finding may have or lack: what message templates may name. */
  readonly fields: readonly string[];
  /** Faults that the schema cannot express, such as an event that the contract's ABI does not have. Pointers begin at the configuration. */
  check?(config: Config, abi: readonly unknown[], family: Family, interfaces: Interfaces): readonly Fault[];
  /** Other contracts whose functions it reads. */
  targets?(config: Config): readonly string[];
  /**
   * It compares each look at a block with the one before: it is shown the block at which it is created or enabled at once,
   * so that a change one block later is seen.
   */
  readonly takesBaseline?: true;
  /** It can be shown pending transactions, simulated on the newest block: what it finds follows from the transaction itself. */
  readonly pending?: true;
  /** Length of the history that the state covers, from which it can be rebuilt to explain an alert. */
  lookbackMs?(config: Config, chain: ChainFacts): number;
  interests(config: Config, contract: ContractFacts, chain: ChainFacts): readonly Interest[];
  evaluate(observation: Observation, context: EvaluationContext<Config, State>): EvaluationResult<State>;
};

/** Ties the types of configuration and state together inside a definition, and lets all definitions stand in one list. */
export function defineDetector<Config, State>(definition: Detector<Config, State>): Detector {
  return definition;
}

/** A kind of trigger; simpler than a detector, and its alerts are the tenant's own. */
export type Trigger<Params = unknown, State = unknown> = {
  readonly type: TriggerType;
  /** As of a detector. */
  readonly families: readonly Family[];
  readonly description: string;
  /** JSON Schema of the parameters. */
  readonly params: TSchema;
  /** Members of its findings, each of which a finding may have or lack: what message templates may name. */
  readonly fields: readonly string[];
  /** Faults that the schema cannot express: members that do not fit each other or the contract's ABI. Pointers begin at the parameters. */
  check?(params: Params, abi: readonly unknown[], family: Family): readonly Fault[];
  /** As of a detector. */
  readonly takesBaseline?: true;
  interests(params: Params, contract: ContractFacts, chain: ChainFacts): readonly Interest[];
  evaluate(observation: Observation, context: EvaluationContext<Params, State>): EvaluationResult<State>;
};

export function defineTrigger<Params, State>(definition: Trigger<Params, State>): Trigger {
  return definition;
}
