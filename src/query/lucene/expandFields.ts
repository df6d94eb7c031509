import { type Field, type FieldType, type Mapping, subField } from './mapping.ts';
import { createWildcardTest, type WildcardPart } from './wildcard.ts';

/** The fields that a name in a query stands for when values are compared; none if it is not mapped. */
export function expandFields(mapping: Mapping, name: string): Field[] {
  if (name.includes('*')) return expandPattern(mapping, name, ['text', 'keyword', 'double', 'boolean']);
  const field = mapping.fields.get(name);
  if (field !== undefined) return [field];
  const path = dynamicPath(mapping, name);
  if (path === undefined || path.length < 2) return [];
  return [...wholeStrings(name, path), ...dynamicTypes.map((type) => dynamicField(name, path, type))];
}

/** The same when a query tests what exists; here an object stands for everything in it. */
export function expandExisting(mapping: Mapping, name: string): Field[] {
  if (name.includes('*')) return expandPattern(mapping, name, ['object']);
  const field = mapping.fields.get(name);
  if (field !== undefined) return [field];
  const path = dynamicPath(mapping, name);
  if (path !== undefined) return [...wholeStrings(name, path), dynamicField(name, path, 'object')];
  const inside = `${name}.`;
  return [
    ...Array.from(mapping.fields.values()).filter((candidate) => candidate.name.startsWith(inside)),
    ...mapping.dynamic
      .filter((root) => root.startsWith(inside))
      .map((root) => dynamicField(root, root.split('.'), 'object')),
  ];
}

const dynamicTypes: readonly FieldType[] = ['text', 'double', 'boolean'];
const addressName = /(?:address|addresses|hash|hashes)$/i;

function expandPattern(mapping: Mapping, glob: string, types: readonly FieldType[]): Field[] {
  const fits = createGlobTest(glob);
  const fixed = Array.from(mapping.fields.values()).filter((field) => fits(field.name));
  const start = glob.slice(0, glob.indexOf('*'));
  const roots = mapping.dynamic.filter(
    (root) => `${root}.`.startsWith(start) || start.startsWith(`${root}.`),
  );
  const below = roots.flatMap((root) =>
    types.map((type): Field => ({ ...dynamicField(glob, root.split('.'), type), glob })),
  );
  return [...fixed, ...below];
}

/** Tests field names against a pattern in which `*` is any characters and nothing can be escaped. */
export function createGlobTest(glob: string): (name: string) => boolean {
  const parts = glob.split('*').flatMap((text, index): WildcardPart[] => {
    const piece: WildcardPart[] = text === '' ? [] : [{ type: 'text', text }];
    return index === 0 ? piece : [{ type: 'any' }, ...piece];
  });
  return createWildcardTest(parts);
}

/** The path of a name at or below a dynamic object. */
function dynamicPath(mapping: Mapping, name: string): string[] | undefined {
  const isDynamic = mapping.dynamic.some((root) => name === root || name.startsWith(`${root}.`));
  const path = name.split('.');
  return isDynamic && path.every((member) => member !== '') ? path : undefined;
}

/** `meta.x.keyword` is the whole string `meta.x`, besides whatever a member called `keyword` may hold. */
function wholeStrings(name: string, path: readonly string[]): Field[] {
  if (!name.endsWith(subField) || path.length < 3) return [];
  const whole = path.slice(0, -1);
  const isFolded = addressName.test(whole.at(-1) ?? '');
  return [{ ...dynamicField(name, whole, 'keyword'), isFolded }];
}

function dynamicField(name: string, path: readonly string[], type: FieldType): Field {
  return { name, path, type, isFolded: false, isDynamic: true };
}
