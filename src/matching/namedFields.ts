import { templateMembersOf } from '../lib/template.ts';

/** The fields that a template names: a pushed finding may have any number of others. */
export function namedFields(
  template: string,
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = templateMembersOf(template).map(({ name }) => name.split('.', 1).join(''));
  return Object.fromEntries(
    [...new Set(names)].flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name]]] : [])),
  );
}
