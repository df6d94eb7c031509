// `npm run docs`: writes (with `--print`: prints) docs/reference/destinations.md from the built kinds.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { destinationKinds, isGrouped, ownMembers } from '../dist/destinations/destinationKinds.js';

const target = join(dirname(fileURLToPath(import.meta.url)), '..', 'docs', 'reference', 'destinations.md');

if (process.argv.includes('--print')) process.stdout.write(describeDestinations());
else writeFileSync(target, describeDestinations());

function describeDestinations() {
  return `# Kinds of destination

Generated from the kinds by \`npm run docs\`; do not edit it by hand. [Notify people](../how-to/notifications.md) shows how to use them.

People get one message about an incident, and together what comes within \`groupWindowMs\`. Programs get each message by itself and at
once. A member or setting that is sealed is never shown again.

${Object.entries(destinationKinds).map(describeKind).join('\n\n')}
`;
}

function describeKind([type, kind]) {
  const lines = [
    `## \`${type}\`: ${kind.title}`,
    '',
    `${kind.works[0].toUpperCase()}${kind.works.slice(1)}.`,
    '',
    `- Readers: ${isGrouped(kind) ? 'people' : 'programs'}.`,
    ...(kind.operator.length > 0
      ? [`- The operator sets ${kind.operator.map((name) => `\`${name}\``).join(' and ')}.`]
      : []),
    ...membersOf(type, kind),
  ];
  const settings = Object.entries(kind.settings);
  if (settings.length === 0) return lines.join('\n');
  const rows = settings.map(
    ([name, { schema, isPublic, isRequired }]) =>
      `| \`${name}\` | ${typeOf(schema)} | ${isRequired ? 'required' : defaultOf(schema)} | ${isPublic ? 'public' : 'sealed'} | ${schema.description} |`,
  );
  return [
    ...lines,
    '',
    '| setting | type | if left out | | meaning |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function membersOf(type, { members, address }) {
  const names = [...(address.type === 'mail' ? ['value'] : []), ...ownMembers(type)];
  const shown = names.map(
    (name) => `\`${name}\`${members[name]?.isPublic || name === 'value' ? '' : ' (sealed)'}`,
  );
  return shown.length > 0 ? [`- Members of the record: ${shown.join(', ')}.`] : [];
}

function typeOf({ type, enum: values }) {
  return values ? values.map((value) => `\`${value}\``).join(', ') : type === 'string' ? 'text' : type;
}

function defaultOf({ default: standard }) {
  return standard === undefined ? 'none' : `\`${standard}\``;
}
