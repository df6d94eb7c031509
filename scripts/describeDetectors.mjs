// `npm run docs`: writes (with `--print`: prints) docs/reference/detectors.md from the schemas of the built detectors and triggers.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configSchema } from '../dist/detectors/configSchema.js';
import { detectors } from '../dist/detectors/detectors.js';
import { triggers } from '../dist/triggers/triggers.js';
import { detectorLimits } from './detectorLimits.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'docs', 'reference', 'detectors.md');
/** What tests have measured that a stranger causes, by detector. */
const strangers = JSON.parse(readFileSync(join(root, 'testing', 'recorded', 'strangers.json'), 'utf8'));

if (process.argv.includes('--print')) process.stdout.write(describeDetectors());
else writeFileSync(target, describeDetectors());

function describeDetectors() {
  const kinds = [...detectors.values()];
  return `# Detectors and triggers

Generated from the schemas in \`src/detectors\` and \`src/triggers\` by \`npm run docs\`; do not edit it by hand.

[Watch contracts](../how-to/watching.md) shows how to use them. \`POST /detector/schema/search\` returns the JSON Schema of every
configuration. These members are part of every detector's configuration, \`pending\` of those that say so below:

${memberTable(sharedMembers(kinds))}

| detector | category | severity | raises an alert when |
|---|---|---|---|
${kinds.map(({ name, category, severity, description }) => `| [\`${name}\`](#${name}) | ${category} | ${severity} | ${cell(description)} |`).join('\n')}

${kinds.map(describeDetector).join('\n')}
# Triggers

A trigger has a \`triggerType\`, \`params\` and one or more alerts.

${[...triggers.values()].map(describeTrigger).join('\n')}`;
}

function describeDetector(detector) {
  const { name, title, version, category, severity, families, description, faq, nextStep, config, fields } =
    detector;
  const pending = detector.pending ? ' It can look at pending transactions (`pending`).' : '';
  return `## ${name}

**${title}** (version ${version}, ${category}, ${severity} by default). ${description}

${faq}

${onFamilies(families)}${pending}
${describeLimits(name)}
What to do next: ${nextStep}

${memberTable(config)}

Members of \`meta\`: ${codes(fields)}.
`;
}

function describeLimits(name) {
  const limits = detectorLimits[name];
  const rows = strangers[name] ?? [];
  if (!limits?.unseen || (!limits.cost && rows.length === 0))
    throw new Error(
      `${name} lacks what it cannot see or what it costs a stranger: scripts/detectorLimits.mjs.`,
    );
  const unseen = `\nWhat it cannot see: ${limits.unseen}\n`;
  const cost = limits.cost === undefined ? '' : `\nWhat it costs a stranger: ${limits.cost}\n`;
  const table = rows.map(
    ({ act, gas, causes }) => `| ${cell(act)} | ${gas.toLocaleString('en')} | ${causes} |`,
  );
  const head = ['| a stranger who pays gas alone | gas | causes |', '|---|--:|---|'];
  return `${unseen}${cost}${table.length === 0 ? '' : `\n${[...head, ...table].join('\n')}\n`}`;
}

function describeTrigger({ type, families, description, params, fields }) {
  return `## ${type}

${description}

${onFamilies(families)}

${memberTable(params)}

Members of \`meta\`: ${codes(fields)}.
`;
}

function onFamilies(families) {
  return `Chain families: ${families.join(', ')}.`;
}

/** What every configuration takes beside the members of its own detector. */
function sharedMembers(kinds) {
  const detector = kinds.find(({ pending }) => pending);
  const { properties, required = [] } = configSchema(detector);
  const own = new Set(Object.keys(detector.config.properties));
  const shared = Object.fromEntries(Object.entries(properties).filter(([name]) => !own.has(name)));
  // Its text names the members of one detector, which each section below lists.
  const description = shared.desc.description.replace(` (${detector.fields.join(', ')})`, '');
  return { properties: { ...shared, desc: { ...shared.desc, description } }, required };
}

function memberTable({ properties, required = [] }) {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const fallback =
      schema.default === undefined ? (required.includes(name) ? 'required' : '') : code(schema.default);
    return `| \`${name}\` | ${cell(typeOf(schema))} | ${fallback} | ${cell(schema.description ?? '')} |`;
  });
  if (rows.length === 0) return 'It has no configuration of its own.';
  return ['| member | type | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function typeOf(schema) {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  const range = [
    schema.minimum === undefined ? '' : `from ${schema.minimum}`,
    schema.maximum === undefined ? '' : `to ${schema.maximum}`,
  ].filter(Boolean);
  const word =
    schema.type === 'array'
      ? `list of ${typeOf(schema.items ?? {})}`
      : (schema.format ?? schema.type ?? 'any');
  return [word, ...range].join(' ');
}

function codes(values) {
  return values.map((value) => `\`${value}\``).join(', ');
}

function code(value) {
  return `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``;
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
