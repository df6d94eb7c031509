import { type CommonConfig, configSchema } from '../detectors/configSchema.ts';
import { detectors } from '../detectors/registry.ts';
import { parseDuration } from '../lib/duration.ts';
import { fillTemplate } from '../lib/template.ts';
import { complianceTags } from '../model/alert.ts';
import type { ChainFacts, Watched } from '../model/detection.ts';
import { withDefaults } from '../model/validate.ts';
import { originOf } from './originOf.ts';
import type { Subscriber } from './subscriber.ts';
import { toMeta } from './toMeta.ts';

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
  const checked = withDefaults(configSchema(definition), row.config);
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
