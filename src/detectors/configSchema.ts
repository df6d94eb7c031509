import { type TSchema, Type } from 'typebox';
import { templateMembers } from '../model/alert.ts';
import type { Detector } from '../model/detection.ts';
import { severities } from '../model/enumerations.ts';
import { memberSchemas } from '../model/schema.ts';
import { templateFormats } from '../model/templateFormats.ts';

/** Members that every detector accepts beside those of its kind. */
export type CommonConfig = {
  severity: (typeof severities)[number] | 'AUTO';
  cooldown: string;
  desc?: string;
  tags: string[];
  /** Of those that count calls within transactions. */
  innerCalls?: boolean;
  /** Of those that report conditions on values. */
  repeat?: string;
  reportEnd?: boolean;
  /** Of those that can be shown pending transactions. */
  pending?: boolean;
};

const common = {
  severity: Type.Unsafe<CommonConfig['severity']>({
    type: 'string',
    enum: ['AUTO', ...severities],
    default: 'AUTO',
    description: 'Severity of its alerts. AUTO leaves it to the detector.',
  }),
  cooldown: Type.String({
    format: 'duration',
    default: '0',
    description:
      'Further findings within this time of an alert are only counted, unless they are worse: of a higher severity, or at least twice as much.',
  }),
  desc: Type.String({
    maxLength: 10_000,
  }),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    default: [],
    maxItems: 100,
    description: 'Labels of its alerts.',
  }),
};

/** Off unless asked for: pending transactions can vanish, and an alert that is retracted a minute later is not for everyone. */
const pending = Type.Boolean({
  default: false,
  description:
    'Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect.',
});

/** Members that few change: forms fold them away. */
const advanced: ReadonlySet<string> = new Set([
  'when',
  'cron',
  'innerCalls',
  'highUsd',
  'criticalUsd',
  'usdFeed',
  'nativeUsdFeed',
  'repeat',
  'reportEnd',
  'lookback',
]);

const made = new WeakMap<Detector, TSchema>();

/** The whole JSON Schema of a detector's configuration, as `/detector/schema` shows it. */
export function configSchema(definition: Detector): TSchema {
  let schema = made.get(definition);
  if (!schema) {
    const desc = { ...common.desc, description: describeMembers(definition) };
    schema = {
      ...definition.config,
      'x-order': Object.keys(memberSchemas(definition.config)).filter((name) => !advanced.has(name)),
      properties: {
        ...memberSchemas(definition.config),
        ...common,
        desc,
        ...(definition.pending && { pending }),
      },
    };
    made.set(definition, schema);
  }
  return schema;
}

const formats = `{member | format} writes it as ${Object.entries(templateFormats)
  .map(([name, words]) => `${name} (${words})`)
  .join(', ')}.`;

function describeMembers({ fields }: Detector): string {
  return `Message of its alerts. {member} stands for a member of the finding (${fields.join(', ')}) or of the alert (${templateMembers.join(', ')}); ${formats}`;
}
