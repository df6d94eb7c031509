import type { Json } from '../../../testing/startTestApi.ts';

/** The OpenAPI document with everything in place of the names that stand for it, but for `Problem`. */
export function expandRefs(document: Json): Json {
  const expand = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(expand);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, anyOf } = value as { $ref?: string; anyOf?: Json[] };
    // A name that may be null too.
    if (anyOf?.length === 2 && anyOf[0]?.$ref && anyOf[1]?.type === 'null') {
      const plain = expand(anyOf[0]) as Json;
      return {
        ...plain,
        type: [plain.type, 'null'].flat(),
        ...(plain.enum ? { enum: [...plain.enum, null] } : {}),
      };
    }
    if ($ref === undefined || $ref.endsWith('/Problem'))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, expand(each)]));
    const found = $ref
      .slice('#/'.length)
      .split('/')
      .reduce<Json>((place, name) => place?.[name], document);
    if (found === undefined) throw new Error(`Nothing stands at ${$ref}.`);
    return expand(found);
  };
  return { ...document, paths: expand(document.paths) };
}
