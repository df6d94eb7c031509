/** `object` is whatever lies at a path or below it, and can only be tested for existence. */
export type FieldType = 'keyword' | 'text' | 'long' | 'double' | 'boolean' | 'date' | 'object';

/** A field as one predicate reads it. */
export type Field = {
  /** As queries name it, for example `name.keyword`. */
  readonly name: string;
  /** The members that lead to its values in a document. */
  readonly path: readonly string[];
  readonly type: FieldType;
  /** A keyword compared in lower case; the values of the predicate are lower-cased already. */
  readonly isFolded: boolean;
  /**
   * The type of a dynamic member is that of its value, so that a predicate on it holds for values of its own type only:
   * strings for `text` and `keyword`, numbers for `double`, booleans.
   */
  readonly isDynamic: boolean;
  /**
   * Set where the field stands for every member below `path` whose dotted name fits this pattern (`*` is any
   * characters). For the type `keyword` it is the name with `.keyword` behind it that must fit.
   */
  readonly glob?: string;
};

/** The fields of one kind of document, and the objects in it whose members are not defined beforehand. */
export type Mapping = { readonly fields: ReadonlyMap<string, Field>; readonly dynamic: readonly string[] };

/**
 * `foldedKeyword`: hashes and addresses, in which case has no meaning. `dynamic`: an object with members of any name. A
 * keyword `x.keyword` is the whole value of text `x`.
 */
export type MappingTypes = {
  readonly [name: string]: Exclude<FieldType, 'object'> | 'foldedKeyword' | 'dynamic';
};

export function createMapping(types: MappingTypes): Mapping {
  const fields = new Map<string, Field>();
  const dynamic: string[] = [];
  for (const [name, type] of Object.entries(types)) {
    if (type === 'dynamic') {
      dynamic.push(name);
      continue;
    }
    const whole = name.endsWith(subField) ? name.slice(0, -subField.length) : undefined;
    fields.set(name, {
      name,
      path: (whole !== undefined && types[whole] === 'text' ? whole : name).split('.'),
      type: type === 'foldedKeyword' ? 'keyword' : type,
      isFolded: type === 'foldedKeyword',
      isDynamic: false,
    });
  }
  return { fields, dynamic };
}

export const subField = '.keyword';

/** True if the values of the field are those of one list, not of all members that fit a pattern. */
export function isList({ isDynamic, glob }: Field): boolean {
  return isDynamic && glob === undefined;
}
