import { isRecord, membersOf } from '../../lib/isRecord.ts';

/** A type in the words of a Soroban spec: `i128`, `{ vec: { element_type: 'address' } }`, `{ udt: { name: 'Order' } }`. */
export type SpecType = string | Readonly<Record<string, unknown>>;
type SpecField = { readonly name: string; readonly type: SpecType };
export type SpecFunction = {
  readonly name: string;
  readonly inputs: readonly SpecField[];
  /** One at most. */
  readonly outputs: readonly SpecType[];
};
export type SpecEvent = {
  readonly name: string;
  readonly prefix: readonly string[];
  readonly params: readonly (SpecField & { readonly isTopic: boolean })[];
  readonly form: string;
};
/** Fields of a struct, values of an enum, or cases of a union with what each holds. */
type SpecUdt =
  | { readonly fields: readonly SpecField[] }
  | { readonly values: ReadonlyMap<string, number> }
  | { readonly cases: ReadonlyMap<string, readonly SpecType[]> };

/** Functions, events and types of a Soroban contract, from its spec. */
export type Spec = {
  readonly functions: ReadonlyMap<string, SpecFunction>;
  readonly events: ReadonlyMap<string, SpecEvent>;
  readonly types: ReadonlyMap<string, SpecUdt>;
};

const kinds = [
  'function_v0',
  'event_v0',
  'udt_struct_v0',
  'udt_union_v0',
  'udt_enum_v0',
  'udt_error_enum_v0',
] as const;

const read = new WeakMap<readonly unknown[], Spec | undefined>();

/** The spec in a contract's `abi`; undefined where it has none. Throws a RangeError for one that cannot be read. */
export function specOf(abi: readonly unknown[]): Spec | undefined {
  if (!read.has(abi)) read.set(abi, abi.some(isSpecEntry) ? readSpec(abi) : undefined);
  return read.get(abi);
}

export function isSpecEntry(item: unknown): boolean {
  return isRecord(item) && kinds.some((kind) => isRecord(item[kind]));
}

function readSpec(abi: readonly unknown[]): Spec {
  const functions = new Map<string, SpecFunction>();
  const events = new Map<string, SpecEvent>();
  const types = new Map<string, SpecUdt>();
  for (const item of abi) {
    const entry = membersOf(item);
    const name = (kind: (typeof kinds)[number]) => nameOf(membersOf(entry[kind]).name, kind);
    if (entry.function_v0) {
      const { inputs, outputs } = membersOf(entry.function_v0);
      const functionName = name('function_v0');
      functions.set(functionName, {
        name: functionName,
        inputs: listOf(inputs).map(toField),
        outputs: listOf(outputs).filter(isSpecType),
      });
    } else if (entry.event_v0) {
      const { prefix_topics: prefix, params, data_format: form } = membersOf(entry.event_v0);
      const eventName = name('event_v0');
      events.set(eventName, {
        name: eventName,
        prefix: listOf(prefix).map(String),
        params: listOf(params).map((param) => ({
          ...toField(param),
          isTopic: membersOf(param).location === 'topic_list',
        })),
        form: String(form),
      });
    } else if (entry.udt_struct_v0)
      types.set(name('udt_struct_v0'), {
        fields: listOf(membersOf(entry.udt_struct_v0).fields).map(toField),
      });
    else if (entry.udt_union_v0)
      types.set(name('udt_union_v0'), {
        cases: new Map(listOf(membersOf(entry.udt_union_v0).cases).map(toCase)),
      });
    else if (entry.udt_enum_v0)
      types.set(name('udt_enum_v0'), {
        values: new Map(
          listOf(membersOf(entry.udt_enum_v0).cases).map((variant) => {
            const { name: caseName, value } = membersOf(variant);
            return [nameOf(caseName, 'an enum'), Number(value)];
          }),
        ),
      });
  }
  return { functions, events, types };
}

function toField(raw: unknown): SpecField {
  const { name, type_: type } = membersOf(raw);
  if (!isSpecType(type)) throw new RangeError(`The spec has ${String(name)} without a type.`);
  return { name: nameOf(name, 'a field'), type };
}

function isSpecType(type: unknown): type is SpecType {
  return typeof type === 'string' || isRecord(type);
}

function toCase(raw: unknown): [string, readonly SpecType[]] {
  const { void_v0: empty, tuple_v0: tuple } = membersOf(raw);
  const { name, type_: types } = membersOf(empty ?? tuple);
  return [nameOf(name, 'a case'), listOf(types) as SpecType[]];
}

function nameOf(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw new RangeError(`The spec has ${what} without a name.`);
  return value;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
