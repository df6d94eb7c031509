import type { Finding } from '../model/alert.ts';
import type {
  ContractFacts,
  Detection,
  EvaluationResult,
  Interest,
  Observation,
  Reader,
} from '../model/detection.ts';

/** A detector or trigger of a tenant, made ready to be shown what it is interested in. */
export type Subscriber = {
  readonly kind: 'detector' | 'trigger';
  readonly id: number;
  readonly name: string;
  readonly contract: ContractFacts;
  readonly interests: readonly Interest[];
  /** Further findings within this time of an alert are only counted. */
  readonly cooldownMs: number;
  /** Changes with whatever its state depends on: what was kept under other settings is forgotten. */
  stateKey(): string;
  evaluate(observation: Observation, state: unknown, read: Reader): EvaluationResult<unknown>;
  /** A detector makes one alert of what was found, a trigger as many as it has alerts. */
  toFindings(found: Detection, observation: Observation): Finding[];
};

/** What is known even of one that cannot be made ready. */
export type SubscriberRef = Pick<Subscriber, 'kind' | 'id' | 'name' | 'contract'>;
