import type { Group, Query } from './tree.ts';

/** The fields that a query names, groups included; `_exists_:x` names x. */
export function namedFields(query: Query): ReadonlySet<string> {
  const names = new Set<string>();
  collect(query, names);
  return names;
}

function collect(group: Group, names: Set<string>): void {
  for (const { node } of group.clauses) {
    if (node.type === 'group') collect(node, names);
    else if (node.field === '_exists_') names.add('text' in node ? node.text : '');
    else if (node.field !== undefined) names.add(node.field);
  }
}
