import { useId } from 'preact/hooks';
import type { Fault } from '../state/api.ts';
import { toLabel } from '../state/format.ts';
import type { Schema } from '../state/schemas.ts';
import { AddButton } from './AddButton.tsx';
import { EnumChecks, EnumSelect } from './EnumInput.tsx';
import { JsonInput } from './JsonInput.tsx';
import { NumberInput } from './NumberInput.tsx';
import { PairsInput } from './PairsInput.tsx';
import { RecordSelect, recordKindOf } from './RecordSelect.tsx';
import { CheckField, SchemaField } from './SchemaField.tsx';
import { baseType, controlAttributes, type WidgetProps, type Widgets } from './schemaTypes.ts';
import { TextInput } from './TextInput.tsx';
import { WordsInput } from './WordsInput.tsx';

type Members = Readonly<Record<string, unknown>>;

export type SchemaFormProps = {
  schema: Schema;
  value: Members;
  onChange(value: Record<string, unknown>): void;
  faults?: readonly Fault[];
  widgets?: Widgets;
  /** Members that are not shown. */
  hidden?: readonly string[];
  /** Members that come first, in this order. */
  order?: readonly string[];
  labels?: Readonly<Record<string, string>>;
  /** JSON pointer of the object inside the body. */
  pointer?: string;
};

/** A form for an object as its JSON Schema describes it; faults are shown at the member that they concern. */
export function SchemaForm(props: SchemaFormProps) {
  const {
    schema,
    value,
    onChange,
    faults = [],
    widgets = {},
    labels = {},
    hidden = [],
    pointer = '',
  } = props;
  const order = props.order ?? schema['x-order'] ?? [];
  const required = new Set(schema.required);
  const names = Object.keys(schema.properties ?? {}).filter((name) => !hidden.includes(name));
  const rank = (name: string) => {
    const place = order.indexOf(name);
    return place >= 0 ? place : order.length + (required.has(name) ? 0 : 1);
  };
  names.sort((a, b) => rank(a) - rank(b));
  const member = (name: string) => (
    <Member
      key={name}
      name={name}
      schema={schema.properties![name]!}
      value={value[name]}
      isRequired={required.has(name)}
      pointer={`${pointer}/${name}`}
      onChange={(next) => onChange(withMember(value, name, next))}
      siblings={value}
      shared={{ faults, widgets, labels }}
    />
  );
  // What most people leave as it is folds away, unless it has something to say.
  const isMain = (name: string) =>
    required.has(name) ||
    order.includes(name) ||
    faults.some((fault) => fault.pointer.startsWith(`${pointer}/${name}`));
  const further = names.filter((name) => !isMain(name));
  if (further.length < 3 || further.length === names.length)
    return <div class="stack">{names.map(member)}</div>;
  return (
    <div class="stack">
      {names.filter(isMain).map(member)}
      <details class="further">
        <summary>More options</summary>
        <div class="stack">{further.map(member)}</div>
      </details>
    </div>
  );
}

function withMember(value: Members, name: string, next: unknown) {
  const { [name]: _before, ...rest } = value;
  return next === undefined ? rest : { ...rest, [name]: next };
}

type MemberProps = {
  name: string;
  schema: Schema;
  value: unknown;
  isRequired: boolean;
  pointer: string;
  onChange(value: unknown): void;
  siblings: Members;
  /** What nested forms get as well. */
  shared: { faults: readonly Fault[]; widgets: Widgets; labels: Readonly<Record<string, string>> };
};

function Member(props: MemberProps) {
  const { name, schema, value, onChange, isRequired, pointer, siblings, shared } = props;
  const id = useId();
  const own = ownFaults(schema, pointer, shared.faults);
  const base: WidgetProps = {
    id,
    schema,
    value,
    onChange,
    label: shared.labels[name] ?? schema.title ?? toLabel(recordKindOf(name) ? name.slice(0, -2) : name),
    describedBy: `${id}-hint`,
    isInvalid: own.length > 0,
    name,
    siblings,
  };
  const widget = shared.widgets[name] ?? shared.widgets[`format:${schema.format ?? ''}`];
  if (!widget && baseType(schema) === 'boolean')
    return <CheckField base={base} pointer={pointer} faults={own} />;
  return (
    <SchemaField base={base} isRequired={isRequired} pointer={pointer} faults={own}>
      {widget ? widget(base) : <Control {...props} base={base} />}
    </SchemaField>
  );
}

/** Of a member without fields of its own also those of what is in it. */
function ownFaults(schema: Schema, pointer: string, faults: readonly Fault[]): readonly Fault[] {
  const hasFields = baseType(schema) === 'array' || Object.keys(schema.properties ?? {}).length > 0;
  return faults.flatMap((fault) => {
    if (fault.pointer === pointer) return [fault];
    if (hasFields || !fault.pointer.startsWith(`${pointer}/`)) return [];
    return [{ ...fault, message: `${fault.pointer.slice(pointer.length + 1)}: ${fault.message}` }];
  });
}

type ControlProps = MemberProps & { base: WidgetProps };

/** The control that fits the type of a member. */
function Control(props: ControlProps) {
  const { name, schema, value, onChange, pointer, shared } = props;
  const inner = schema.anyOf?.find((option) => option.type !== 'null');
  if (inner) return <Control {...props} schema={{ ...schema, ...inner }} />;
  const base = { ...props.base, schema };
  const type = baseType(schema);
  const kind = recordKindOf(name);
  if (kind && type === 'integer')
    return (
      <RecordSelect
        {...controlAttributes(base)}
        kind={kind}
        value={value as number | undefined}
        onChange={onChange}
        none={schema['x-none']}
      />
    );
  if (schema.enum) return <EnumSelect {...base} />;
  if (type === 'integer' || type === 'number') return <NumberInput {...base} />;
  if (type === 'string') return <TextInput {...base} />;
  if (type === 'array') return <ListControl {...props} base={base} />;
  if (type === 'object' && Object.keys(schema.properties ?? {}).length > 0)
    return (
      <fieldset class="nested" id={base.id}>
        <SchemaForm
          {...shared}
          schema={schema}
          value={(value ?? {}) as Members}
          onChange={onChange}
          pointer={pointer}
        />
      </fieldset>
    );
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object' && baseType(additionalProperties) === 'string')
    return <PairsInput {...base} />;
  return <JsonInput {...base} />;
}

function ListControl({ base, schema, value, onChange, pointer, shared }: ControlProps) {
  const items = schema.items ?? {};
  const type = baseType(items);
  const list = Array.isArray(value) ? (value as unknown[]) : [];
  if (items.enum) return <EnumChecks {...base} />;
  if (type === 'string' || type === 'integer')
    return (
      <WordsInput
        id={base.id}
        describedBy={base.describedBy}
        value={list.map(String)}
        onChange={(words) => onChange(type === 'integer' ? words.map(Number) : words)}
        faults={shared.faults
          .filter((fault) => fault.pointer.startsWith(`${pointer}/`))
          .map(({ message }) => message)}
      />
    );
  if (type !== 'object' || !items.properties) return <JsonInput {...base} />;
  return (
    <fieldset class="stack" id={base.id}>
      <legend class="hide-visually">{base.label}</legend>
      {list.map((item, index) => (
        // Items have no identity but their place.
        <div class="nested stack" key={index}>
          <SchemaForm
            {...shared}
            schema={items}
            value={(item ?? {}) as Members}
            onChange={(next) => onChange(list.map((other, at) => (at === index ? next : other)))}
            pointer={`${pointer}/${index}`}
          />
          <button type="button" class="link" onClick={() => onChange(list.filter((_, at) => at !== index))}>
            Remove
          </button>
        </div>
      ))}
      <AddButton text={schema['x-add']} onClick={() => onChange([...list, {}])} />
    </fieldset>
  );
}
