import { nearest } from '../../lib/nearest.ts';
import type { Catalogue, ManyField, OneField, WhereField } from './catalogue.ts';
import { quote } from './invalidWhere.ts';

/** A dotted path in a catalogue: the objects on the path, the field at its end, and the part inside JSON. */
export type Resolved = {
  readonly outer: readonly (OneField | ManyField)[];
  readonly field: WhereField;
  readonly members: readonly string[];
};

/** `index` is that of the wrong name. */
export type Unresolved = { readonly fault: string; readonly index: number };

export function resolve(names: readonly string[], catalogue: Catalogue): Resolved | Unresolved {
  const outer: (OneField | ManyField)[] = [];
  let fields = catalogue;
  for (const [index, name] of names.entries()) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field) return { index, fault: unknownField(names.slice(0, index), name, fields) };
    const next = names[index + 1];
    if (next === undefined || field.type === 'json') {
      return { outer, field, members: names.slice(index + 1) };
    }
    if (field.type !== 'one' && field.type !== 'many') {
      const scalar = quote(names.slice(0, index + 1).join('.'));
      return {
        index: index + 1,
        fault: `${scalar} is a plain value and has no member ${quote(next)}`,
      };
    }
    outer.push(field);
    fields = field.fields;
  }
  throw new Error('A path has at least one name.');
}

function unknownField(parents: readonly string[], name: string, fields: Catalogue): string {
  const suggestion = nearest(name, Object.keys(fields));
  const hint =
    suggestion === undefined ? '' : ` (did you mean ${quote([...parents, suggestion].join('.'))}?)`;
  return `there is no field ${quote([...parents, name].join('.'))}${hint}`;
}
