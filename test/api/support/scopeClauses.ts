import type { Members } from '../../../src/store/tables/table.ts';
import type { Random } from '../../../testing/createRandom.ts';
import type { World } from '../../support/createWorld.ts';

/** Clauses that hold for every record. */
export function wideClauses(members: Members): string[] {
  return [
    '',
    'id > 0',
    'not (id = -1)',
    "status <> 'NONE'",
    'id > 0 or status is null',
    "(id is null) or not (id is null) and not status in ('NONE')",
    ...(members.tenantId ? ['id > 0 or tenantId <> 0', 'tenantId is null or tenantId is not null'] : []),
  ];
}

/** Clauses that ask for the records of another world. */
export function foreignClauses(members: Members, id: number, { tenant, organisation }: World): string[] {
  const nested = Object.entries(members).flatMap(([name, member]) =>
    'from' in member ? [`${name}.id > 0`, `id = ${id} or ${name}.id is null`] : [],
  );
  return [
    `id = ${id}`,
    `id in (${id}, -1) or id = ${id}`,
    ...(members.tenantId ? [`tenantId = ${tenant.id}`, `id > 0 or tenantId = ${tenant.id}`] : []),
    ...(members.organisationId ? [`organisationId = ${organisation.id}`] : []),
    ...(members.name ? ["name like 'canary%'"] : []),
    ...nested,
  ];
}

export function randomClause(random: Random, members: Members, depth = 2): string {
  if (depth === 0 || random.chance(0.3)) return randomTest(random, members);
  const parts = Array.from({ length: 1 + random.below(3) }, () => randomClause(random, members, depth - 1));
  return `${random.chance(0.3) ? 'not ' : ''}(${parts.join(random.chance(0.7) ? ' or ' : ' and ')})`;
}

function randomTest(random: Random, members: Members): string {
  const [name, member] = random.pick(Object.entries(members));
  const isNested = 'from' in member && random.chance(0.7);
  if (isNested) return `${name}.${randomTest(random, member.members)}`;
  if (member.type === 'integer') {
    return `${name} ${random.pick(['<>', '>=', '<', '='])} ${random.below(20)}`;
  }
  if (member.type === 'string') return `${name} ${random.pick(['like', 'not ilike'])} '%a%'`;
  return `${name} is ${random.chance(0.5) ? 'not ' : ''}null`;
}
