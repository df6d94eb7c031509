// `npm run docs`: writes (with `--print`: prints) docs/reference/api.md from the built endpoints.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { accessOf, allowedRoles } from '../dist/api/http/access.js';
import { pathOf } from '../dist/api/http/route.js';
import { problems } from '../dist/model/errors.js';
import { loadConfig } from '../dist/runtime/config/loadConfig.js';
import { endpointsFor } from '../dist/runtime/startServer.js';

const target = join(dirname(fileURLToPath(import.meta.url)), '..', 'docs', 'reference', 'api.md');

if (process.argv.includes('--print')) process.stdout.write(describeEndpoints());
else writeFileSync(target, describeEndpoints());

function describeEndpoints() {
  const endpoints = endpointsFor(loadConfig({}));
  const tags = [...new Set(endpoints.map(({ tag }) => tag))];
  return `# API

Generated from the endpoints by \`npm run docs\`; do not edit it by hand.

A running Vigil describes every endpoint, member and error at \`/docs\`, and as an OpenAPI 3.1 document at \`/openapi.json\`.
[The API rules](../api-spec.md) state the conventions. "Role" is the least role that may call an endpoint; \`tenant-user\` includes
\`tenant-manager\`, \`admin\` may call all of them, and "any" is every token.

${tags
  .map((tag) =>
    section(
      tag,
      endpoints.filter((endpoint) => endpoint.tag === tag),
    ),
  )
  .join('\n\n')}

## Errors

Every error is a problem document of RFC 9457. \`/docs/problem/{code}\` of a running Vigil says what to do about each.

| status | code | meaning |
|--:|---|---|
${Object.entries(problems)
  .sort(([, a], [, b]) => a.status - b.status)
  .map(([code, { status, title }]) => `| ${status} | \`${code}\` | ${title} |`)
  .join('\n')}
`;
}

function section(tag, endpoints) {
  const rows = endpoints.map(
    (endpoint) =>
      `| ${endpoint.method} | \`${pathOf(endpoint)}\` | ${endpoint.summary} | ${leastRoles(endpoint)} |`,
  );
  return [`## ${tag}`, '', '| method | path | what it does | role |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function leastRoles(endpoint) {
  const roles = allowedRoles(accessOf(endpoint));
  if (roles === 'public') return 'no token';
  const least = ['tenant', 'organisation']
    .map((group) => roles.find((role) => role.startsWith(`${group}-`)))
    .filter(Boolean);
  if (least.length === 2 && least.every((role) => role.endsWith('-viewer'))) return 'any';
  return least.length === 0 ? '`admin`' : least.map((role) => `\`${role}\``).join(', ');
}
