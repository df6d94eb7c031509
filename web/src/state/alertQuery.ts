import { mayChooseTenant, tenantId } from './session.ts';

/** The query that is sent: what was typed, within the tenant that an administrator looks at. */
export function withinTenant(query: string): string {
  const text = query.trim();
  if (!mayChooseTenant.value || tenantId.value === undefined) return text;
  const own = `tenantId:${tenantId.value}`;
  return text === '' ? own : `${own} AND (${text})`;
}

/** A value as the query string takes it: words as they are, all else in quotes. */
export function quoteTerm(value: string | number | boolean): string {
  const text = String(value);
  return /^[\p{L}\p{N}_]+$/u.test(text) && !/^(AND|OR|NOT|TO)$/.test(text)
    ? text
    : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Adds a condition to a query, or takes it away again when it is there. */
export function toggleCondition(
  query: string,
  field: string,
  value: string | number | boolean,
  isExcluded = false,
): string {
  const term = `${field}:${quoteTerm(value)}`;
  const condition = isExcluded ? `NOT ${term}` : term;
  const parts = splitConditions(query);
  const others = parts.filter((part) => part !== term && part !== `NOT ${term}`);
  return (parts.includes(condition) ? others : [...others, condition]).join(' AND ');
}

export function hasCondition(
  query: string,
  field: string,
  value: string | number | boolean,
): 'with' | 'without' | undefined {
  const parts = splitConditions(query);
  const term = `${field}:${quoteTerm(value)}`;
  return parts.includes(term) ? 'with' : parts.includes(`NOT ${term}`) ? 'without' : undefined;
}

/** What stands between ANDs outside of quotes and brackets; a query with an OR outside of them is one part. */
function splitConditions(query: string): string[] {
  const parts: string[] = [];
  let [start, depth, isQuoted] = [0, 0, false];
  for (let at = 0; at < query.length; at++) {
    const sign = query[at]!;
    if (sign === '\\') at++;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if ('([{'.includes(sign)) depth++;
    else if (')]}'.includes(sign)) depth--;
    else if (depth === 0 && query.startsWith(' OR ', at)) return [`(${query.trim()})`];
    else if (depth === 0 && query.startsWith(' AND ', at)) {
      parts.push(query.slice(start, at).trim());
      start = at + 5;
    }
  }
  return [...parts, query.slice(start).trim()].filter((part) => part !== '');
}
