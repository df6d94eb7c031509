import type { ReplyOf } from '../../../../sdk/src/index.ts';

export type Matched = NonNullable<ReplyOf<'POST', '/alert/search'>['matched']>[number];

/** The clauses that a person typed: the console itself adds the tenant that an administrator looks at. */
export function typedClauses(matched: Matched): Matched {
  return matched.filter(({ members }) => members.length !== 1 || members[0] !== 'tenantId');
}

/** Words to mark in one member. */
export function wordsIn(matched: Matched, member: string): string[] {
  return matched.flatMap(({ members, words }) => (members.includes(member) ? words : []));
}

/** Members with a value that was looked for and that the row does not show. */
export function membersBeyond(matched: Matched, shown: ReadonlySet<string>): string[] {
  const beyond = matched.flatMap(({ members }) =>
    members.some((member) => shown.has(member)) ? [] : members,
  );
  return [...new Set(beyond)];
}
