import type { TSchema } from 'typebox';
import { type CommonConfig, configSchema } from '../detectors/configSchema.ts';
import { detectors } from '../detectors/detectors.ts';
import { upgradeConfig } from '../detectors/upgradeConfig.ts';
import { createBoundedMap } from '../lib/createBoundedMap.ts';
import { parseDuration } from '../lib/duration.ts';
import { fillTemplate } from '../lib/template.ts';
import { complianceTags, endNextStep, type Finding, isSevere, type Severity } from '../model/alert.ts';
import type {
  ChainFacts,
  ContractFacts,
  Detection,
  Detector,
  EvaluationResult,
  Interest,
  Observation,
  Reader,
} from '../model/detection.ts';
import { mapAddresses } from '../model/mapAddresses.ts';
import { membersWith } from '../model/schema.ts';
import { withDefaults } from '../model/validate.ts';
import { fixAddresses } from '../scripts/fixAddresses.ts';
import { nameParties } from './nameParties.ts';
import { originOf } from './originOf.ts';
import { canonicalContract, showAddresses } from './showAddresses.ts';
import { showMembers } from './showMembers.ts';
import { describeFirst, otherFamily, type Subscriber, toCause, toMeta, toStateKey } from './subscriber.ts';
import { templateValues } from './templateValues.ts';

/** A detector as it is stored. */
export type DetectorRow = {
  readonly id: number;
  readonly name: string;
  readonly schemaName: string;
  readonly tags: readonly string[];
  readonly config: unknown;
  /** An action that fires at pending transactions is bound to it. */
  readonly firesAtPending?: boolean;
};

/** Turns a stored detector into a subscriber; the fault says why it cannot run. */
export function compileDetector(
  row: DetectorRow,
  contract: ContractFacts,
  chain: ChainFacts,
): Subscriber | { fault: string } {
  const definition = detectors.get(row.schemaName);
  if (!definition) return { fault: `There is no detector ${row.schemaName} in this version of Vigil.` };
  if (!definition.families.includes(chain.family)) return { fault: otherFamily(row.schemaName, chain) };
  const program = getProgram(definition, row.config, chain);
  if ('fault' in program) return program;
  return new DetectorSubscriber(row, canonicalContract(contract, chain), program);
}

/** Shared by all detectors of a kind with the same configuration. */
type Program = {
  readonly definition: Detector;
  /** As it is written, which its state belongs to, and with the addresses as they are matched. */
  readonly written: CommonConfig;
  readonly config: CommonConfig;
  readonly chain: ChainFacts;
  readonly cooldownMs: number;
};

const maxCachedPrograms = 10_000;
const programs = createBoundedMap<string, Program | { fault: string }>(maxCachedPrograms);

/** Cached, because reading a configuration takes time and most detectors have the same. */
function getProgram(definition: Detector, stored: unknown, chain: ChainFacts): Program | { fault: string } {
  const { uid, symbol, decimals, blockTimeMs } = chain;
  const key = `${uid} ${symbol} ${decimals} ${blockTimeMs} ${definition.name} ${JSON.stringify(stored)}`;
  const cached = programs.get(key);
  if (cached) return cached;
  const program = readProgram(definition, stored, chain);
  programs.set(key, program);
  return program;
}

function readProgram(definition: Detector, stored: unknown, chain: ChainFacts): Program | { fault: string } {
  const schema = configSchema(definition);
  const checked = withDefaults(schema, upgradeConfig(definition.name, stored));
  if ('faults' in checked) {
    return { fault: `Its configuration is not valid: ${describeFirst(checked.faults)}` };
  }
  const written = checked.value as CommonConfig;
  const config = fixScripts(schema, mapAddresses(schema, written, chain.canonical) as CommonConfig, chain);
  return { definition, written, config, chain, cooldownMs: parseDuration(config.cooldown) };
}

/** Scripts see addresses as they are matched. */
function fixScripts(schema: TSchema, config: CommonConfig, { canonical }: ChainFacts): CommonConfig {
  const members: Record<string, unknown> = { ...config };
  for (const name of membersWith(schema, 'format', 'script')) {
    const source = members[name];
    if (typeof source === 'string') members[name] = fixAddresses(source, canonical);
  }
  return { ...config, ...members };
}

/** A class, because there can be a hundred thousand: each instance holds only what is its own. */
class DetectorSubscriber implements Subscriber {
  readonly id: number;
  readonly name: string;
  readonly contract: ContractFacts;
  readonly interests: readonly Interest[];
  readonly #tags: readonly string[];
  readonly #program: Program;
  readonly seesPending: boolean;
  /** Hashed on first use, because most are never evaluated and the others often. */
  #stateKey: string | undefined;

  constructor({ id, name, tags, firesAtPending }: DetectorRow, contract: ContractFacts, program: Program) {
    this.id = id;
    this.name = name;
    this.contract = contract;
    this.#tags = tags.length === 0 ? program.config.tags : [...new Set([...tags, ...program.config.tags])];
    this.#program = program;
    const { definition, config } = program;
    this.seesPending = definition.pending === true && (config.pending === true || firesAtPending === true);
    const seen = this.seesPending ? { ...config, pending: true } : config;
    this.interests = definition.interests(seen, contract, program.chain);
  }

  get kind() {
    return 'detector' as const;
  }

  get cooldownMs(): number {
    return this.#program.cooldownMs;
  }

  get isSevere(): boolean {
    return isSevere(this.severity);
  }

  get severity(): Severity {
    const { definition, config } = this.#program;
    const severity = config.severity === 'AUTO' ? definition.severity : config.severity;
    return severity === 'AUTO' ? 'CRITICAL' : severity;
  }

  /** Only where it looks at blocks, which not every family makes it do. */
  get takesBaseline(): boolean {
    return this.#program.definition.takesBaseline === true && this.interests.some(({ on }) => on === 'block');
  }

  get lookbackMs(): number {
    const { definition, config, chain } = this.#program;
    return definition.lookbackMs?.(config, chain) ?? 0;
  }

  stateKey(): string {
    this.#stateKey ??= this.#createStateKey();
    return this.#stateKey;
  }

  #createStateKey(): string {
    const {
      severity: _severity,
      cooldown: _cooldown,
      desc: _desc,
      innerCalls: _innerCalls,
      pending: _pending,
      repeat: _repeat,
      reportEnd: _reportEnd,
      tags: _tags,
      ...rest
    } = this.#program.written;
    return toStateKey([this.#program.definition.name, this.contract.address, rest]);
  }

  evaluate(observation: Observation, state: unknown, read: Reader): EvaluationResult<unknown> {
    const { definition, config, chain } = this.#program;
    const result = definition.evaluate(observation, { config, contract: this.contract, chain, state, read });
    const shown = showMembers(result, [config.desc], observation, { contract: this.contract, chain, read });
    return nameParties(shown, observation, this.contract, read);
  }

  toFindings(detection: Detection, observation: Observation): Finding[] {
    const { definition, config, chain } = this.#program;
    const severity = detection.severity ?? (definition.severity === 'AUTO' ? 'MEDIUM' : definition.severity);
    const alert = {
      ...originOf(this, observation, detection),
      severity: detection.isEnd || config.severity === 'AUTO' ? severity : config.severity,
      name: this.name,
      tags: this.#tags,
    };
    const message =
      config.desc && !detection.isEnd
        ? fillTemplate(
            config.desc,
            { ...alert, ...templateValues(detection.fields, config) },
            ({ text }) => detection.shown?.[text],
          )
        : detection.message;
    const finding: Finding = {
      ...alert,
      kind: 'detector',
      group: complianceTags.includes(definition.category) ? 'COMPLIANCE' : 'SECURITY',
      message,
      cause: toCause(this, message),
      meta: toMeta(detection.fields),
      detectorId: this.id,
      detectorSchemaName: definition.name,
      ...(detection.isEnd && { isEnd: true }),
      nextStep: detection.isEnd ? endNextStep : definition.nextStep,
    };
    return showAddresses([finding], chain);
  }
}
