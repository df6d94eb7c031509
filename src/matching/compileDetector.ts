import { type CommonConfig, configSchema } from '../detectors/configSchema.ts';
import { detectors } from '../detectors/registry.ts';
import { parseDuration } from '../lib/duration.ts';
import { fillTemplate } from '../lib/template.ts';
import { complianceTags } from '../model/alert.ts';
import type { ChainFacts, Detector, Watched } from '../model/detection.ts';
import { withDefaults } from '../model/validate.ts';
import { originOf } from './originOf.ts';
import type { Subscriber } from './subscriber.ts';
import { toMeta } from './toMeta.ts';
import { toStateKey } from './toStateKey.ts';

/** A detector as it is stored. */
export type DetectorRow = {
  readonly id: number;
  readonly name: string;
  readonly schemaName: string;
  readonly tags: readonly string[];
  readonly config: unknown;
};

/** Makes a stored detector ready to be shown what it is interested in, or says why it cannot run. */
export function compileDetector(
  row: DetectorRow,
  contract: Watched,
  chain: ChainFacts,
): Subscriber | { fault: string } {
  const definition = detectors.get(row.schemaName);
  if (!definition) return { fault: `There is no detector ${row.schemaName} in this version of Vigil.` };
  const checked = readConfig(definition, row.config);
  if ('faults' in checked) {
    const [first] = checked.faults;
    return { fault: `Its configuration is not valid: ${first!.pointer} ${first!.message}` };
  }
  const config = checked.value as CommonConfig;
  const group = complianceTags.includes(definition.category) ? 'COMPLIANCE' : 'SECURITY';
  const tags = [...new Set([...row.tags, ...config.tags])];
  const self = { kind: 'detector', id: row.id, contract } as const;
  return {
    ...self,
    name: row.name,
    interests: definition.interests(config, contract, chain),
    cooldownMs: parseDuration(config.cooldown),
    stateKey() {
      const { severity, cooldown, desc, tags: own, ...rest } = config;
      return toStateKey([row.schemaName, contract.address, rest]);
    },
    evaluate: (observation, state, read) =>
      definition.evaluate(observation, { config, contract, chain, state, read }),
    toFindings(found, observation) {
      const own = found.severity ?? (definition.severity === 'AUTO' ? 'MEDIUM' : definition.severity);
      return [
        {
          ...originOf(self, observation, found),
          kind: 'detector',
          group,
          severity: config.severity === 'AUTO' ? own : config.severity,
          name: row.name,
          message: config.desc ? fillTemplate(config.desc, found.fields) : found.message,
          meta: toMeta(found.fields),
          tags,
          detectorId: row.id,
        },
      ];
    },
  };
}

type Checked = ReturnType<typeof withDefaults>;
const known = new Map<string, Checked>();
const mostKnown = 10_000;

/** Most detectors of a kind are configured alike, so that one reading of a configuration serves many of them. */
function readConfig(definition: Detector, config: unknown): Checked {
  const key = `${definition.name} ${JSON.stringify(config)}`;
  let checked = known.get(key);
  if (!checked) {
    checked = withDefaults(configSchema(definition), config);
    if (known.size >= mostKnown) known.clear();
    known.set(key, checked);
  }
  return checked;
}
