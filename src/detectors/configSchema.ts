import { type TSchema, Type } from 'typebox';
import { templateMembers } from '../model/alert.ts';
import type { Detector } from '../model/detection.ts';
import { severities } from '../model/enumerations.ts';
import { memberSchemas } from '../model/schema.ts';

/** What every detector accepts beside its own members. */
export type CommonConfig = {
  severity: (typeof severities)[number] | 'AUTO';
  cooldown: string;
  desc?: string;
  tags: string[];
  /** Of those that count calls within transactions. */
  innerCalls?: boolean;
};

const common = {
  severity: Type.Unsafe<CommonConfig['severity']>({
    type: 'string',
    enum: ['AUTO', ...severities],
    default: 'AUTO',
    description: 'How bad its alerts are. AUTO leaves it to the detector.',
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

const made = new WeakMap<Detector, TSchema>();

/** The whole JSON Schema of a detector's configuration, as `/detector/schema` shows it. */
export function configSchema(definition: Detector): TSchema {
  let schema = made.get(definition);
  if (!schema) {
    const desc = { ...common.desc, description: describeMembers(definition) };
    schema = { ...definition.config, properties: { ...memberSchemas(definition.config), ...common, desc } };
    made.set(definition, schema);
  }
  return schema;
}

function describeMembers({ fields }: Detector): string {
  return `Message of its alerts. {member} stands for a member of the finding (${fields.join(', ')}) or of the alert (${templateMembers.join(', ')}).`;
}
