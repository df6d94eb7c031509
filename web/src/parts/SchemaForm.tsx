import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Fault } from '../state/api.ts';
import { toLabel } from '../state/format.ts';
import type { Schema } from '../state/schemas.ts';
import { Icon } from './Icon.tsx';
import { RecordSelect, recordKindOf } from './RecordSelect.tsx';
import { WordsInput } from './WordsInput.tsx';

export type WidgetProps = {
  id: string;
  schema: Schema;
  value: unknown;
  onChange(value: unknown): void;
  /** Its label and hint, for widgets made of several controls. */
  label: string;
  describedBy: string;
  isInvalid: boolean;
};
/** A control of one's own for a member (by name) or for a format (as `format:duration`). */
export type Widgets = Readonly<Record<string, (props: WidgetProps) => JSX.Element>>;

export type SchemaFormProps = {
  schema: Schema;
  value: Readonly<Record<string, unknown>>;
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
  const { schema, value, onChange, faults, hidden = [], pointer = '' } = props;
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
      {...props}
      key={name}
      name={name}
      schema={schema.properties![name]!}
      value={value[name]}
      isRequired={required.has(name)}
      pointer={`${pointer}/${name}`}
      onChange={(next) => onChange(withMember(value, name, next))}
    />
  );
  // What most people leave as it is folds away, unless it has something to say.
  const isMain = (name: string) =>
    required.has(name) ||
    order.includes(name) ||
    (faults ?? []).some((fault) => fault.pointer.startsWith(`${pointer}/${name}`));
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

function withMember(value: Readonly<Record<string, unknown>>, name: string, next: unknown) {
  const { [name]: _before, ...rest } = value;
  return next === undefined ? rest : { ...rest, [name]: next };
}

type MemberProps = Omit<SchemaFormProps, 'value' | 'onChange' | 'pointer'> & {
  name: string;
  value: unknown;
  isRequired: boolean;
  pointer: string;
  onChange(value: unknown): void;
};

function Member(props: MemberProps) {
  const {
    name,
    schema,
    value,
    onChange,
    isRequired,
    pointer,
    faults = [],
    widgets = {},
    labels = {},
  } = props;
  const id = useId();
  const own = faults.filter((fault) => fault.pointer === pointer);
  const label = labels[name] ?? schema.title ?? toLabel(recordKindOf(name) ? name.slice(0, -2) : name);
  const hintId = `${id}-hint`;
  const base: WidgetProps = {
    id,
    schema,
    value,
    onChange,
    label,
    describedBy: hintId,
    isInvalid: own.length > 0,
  };
  const widget = widgets[name] ?? widgets[`format:${schema.format ?? ''}`];
  const hint = (
    <span id={hintId} class="stack">
      {own.map(({ message }) => (
        <span class="fault foreign" key={message}>
          {message}
        </span>
      ))}
      {schema.description && <span class="hint">{schema.description}</span>}
    </span>
  );
  if (!widget && baseType(schema) === 'boolean')
    return (
      <div class="field">
        <label class="check">
          <input
            type="checkbox"
            aria-describedby={hintId}
            checked={(value ?? schema.default) === true}
            onChange={({ currentTarget }) => onChange(currentTarget.checked)}
          />
          <span class="label">{label}</span>
        </label>
        {hint}
      </div>
    );
  const control = widget ? widget(base) : <Control {...props} base={base} />;
  return (
    <div class="field" data-pointer={pointer}>
      <label class="label" for={id}>
        {label}
        {isRequired && <span class="dim"> (required)</span>}
      </label>
      {control}
      {hint}
    </div>
  );
}

/** The type beside null. */
function baseType({ type, anyOf }: Schema): string | undefined {
  if (Array.isArray(type)) return type.find((word) => word !== 'null');
  return type ?? (anyOf ? baseType(anyOf.find((option) => option.type !== 'null') ?? {}) : undefined);
}

function Control(props: MemberProps & { base: WidgetProps }) {
  const { base, name, schema, value, onChange, pointer, faults = [], widgets = {}, labels = {} } = props;
  const { id, describedBy, isInvalid } = base;
  const shared = { id, 'aria-describedby': describedBy, 'aria-invalid': isInvalid };
  const inner = schema.anyOf?.find((option) => option.type !== 'null');
  if (inner) return <Control {...props} schema={{ ...schema, ...inner }} />;
  const kind = recordKindOf(name);
  if (kind && baseType(schema) === 'integer')
    return <RecordSelect {...shared} kind={kind} value={value as number | undefined} onChange={onChange} />;
  if (schema.enum) return <EnumSelect {...shared} schema={schema} value={value} onChange={onChange} />;
  switch (baseType(schema) ?? 'any') {
    case 'integer':
    case 'number':
      return (
        <input
          {...shared}
          type="number"
          step={baseType(schema) === 'integer' ? 1 : 'any'}
          min={schema.minimum}
          max={schema.maximum}
          value={value === undefined || value === null ? '' : String(value)}
          placeholder={placeholder(schema)}
          onInput={({ currentTarget: { value: text } }) => onChange(text === '' ? undefined : Number(text))}
        />
      );
    case 'string':
      return ((schema.maxLength ?? 0) >= 4000 || schema.format === 'script') && schema.format !== 'uri' ? (
        <textarea
          {...shared}
          rows={schema.format === 'script' ? 6 : 3}
          class={schema.format === 'script' ? 'mono' : ''}
          spellcheck={schema.format !== 'script'}
          value={typeof value === 'string' ? value : ''}
          placeholder={placeholder(schema)}
          onInput={({ currentTarget: { value: text } }) => onChange(text === '' ? undefined : text)}
        />
      ) : (
        <input
          {...shared}
          {...(/password|secret|privatekey/i.test(name) ? { type: 'password' } : { type: 'text' })}
          autocomplete="off"
          value={typeof value === 'string' ? value : ''}
          placeholder={placeholder(schema)}
          onInput={({ currentTarget: { value: text } }) => onChange(text === '' ? undefined : text)}
        />
      );
    case 'array':
      return <ListControl {...props} />;
    case 'object':
      if (schema.properties && Object.keys(schema.properties).length > 0)
        return (
          <fieldset class="nested" id={id}>
            <SchemaForm
              schema={schema}
              value={(value ?? {}) as Record<string, unknown>}
              onChange={onChange}
              faults={faults}
              widgets={widgets}
              labels={labels}
              pointer={pointer}
            />
          </fieldset>
        );
      if (
        typeof schema.additionalProperties === 'object' &&
        baseType(schema.additionalProperties) === 'string'
      )
        return <PairsControl {...props} />;
      return <JsonInput {...shared} value={value} onChange={onChange} />;
    default:
      return <JsonInput {...shared} value={value} onChange={onChange} />;
  }
}

function placeholder({ default: standard, examples, enum: values }: Schema): string {
  if (values) return '';
  if (standard !== undefined && standard !== null && typeof standard !== 'object' && standard !== '')
    return String(standard);
  const example = examples?.[0];
  return typeof example === 'string' || typeof example === 'number' ? `for example ${example}` : '';
}

type Shared = { id: string; 'aria-describedby': string; 'aria-invalid': boolean };

function EnumSelect({
  schema,
  value,
  onChange,
  ...shared
}: Shared & { schema: Schema; value: unknown; onChange(value: unknown): void }) {
  const values = (schema.enum ?? []).filter((option) => option !== null).map(String);
  const standard =
    schema.default === undefined || schema.default === null ? undefined : String(schema.default);
  return (
    <select
      {...shared}
      value={value === undefined || value === null ? '' : String(value)}
      onChange={({ currentTarget: { value: text } }) =>
        onChange(text === '' ? undefined : (schema.enum?.find((option) => String(option) === text) ?? text))
      }
    >
      <option value="">{standard === undefined ? 'Choose …' : `${standard} (default)`}</option>
      {values.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}

function ListControl({
  base,
  schema,
  value,
  onChange,
  pointer,
  faults = [],
  widgets = {},
  labels = {},
}: MemberProps & { base: WidgetProps }) {
  const items = schema.items ?? {};
  const list = Array.isArray(value) ? (value as unknown[]) : [];
  if (items.enum) {
    const chosen = new Set(list.map(String));
    return (
      <fieldset class="row" id={base.id} aria-describedby={base.describedBy}>
        <legend class="hide-visually">{base.label}</legend>
        {items.enum.map((option) => (
          <label class="check" key={String(option)}>
            <input
              type="checkbox"
              checked={chosen.has(String(option))}
              onChange={({ currentTarget: { checked } }) =>
                onChange(
                  items.enum!.filter((other) => (other === option ? checked : chosen.has(String(other)))),
                )
              }
            />
            {String(option)}
          </label>
        ))}
      </fieldset>
    );
  }
  if (baseType(items) === 'string' || baseType(items) === 'integer')
    return (
      <WordsInput
        id={base.id}
        describedBy={base.describedBy}
        value={list.map(String)}
        onChange={(words) => onChange(baseType(items) === 'integer' ? words.map(Number) : words)}
        faults={faults
          .filter((fault) => fault.pointer.startsWith(`${pointer}/`))
          .map(({ message }) => message)}
      />
    );
  if (baseType(items) !== 'object' || !items.properties)
    return (
      <JsonInput
        id={base.id}
        aria-describedby={base.describedBy}
        aria-invalid={base.isInvalid}
        value={value}
        onChange={onChange}
      />
    );
  const change = (index: number, next: unknown) =>
    onChange(list.map((item, at) => (at === index ? next : item)));
  return (
    <fieldset class="stack" id={base.id}>
      <legend class="hide-visually">{base.label}</legend>
      {list.map((item, index) => (
        // Items have no identity but their place.
        <div class="nested stack" key={index}>
          <SchemaForm
            schema={items}
            value={(item ?? {}) as Record<string, unknown>}
            onChange={(next) => change(index, next)}
            faults={faults}
            widgets={widgets}
            labels={labels}
            pointer={`${pointer}/${index}`}
          />
          <button type="button" class="link" onClick={() => onChange(list.filter((_, at) => at !== index))}>
            Remove
          </button>
        </div>
      ))}
      <AddButton onClick={() => onChange([...list, {}])}>Add</AddButton>
    </fieldset>
  );
}

function PairsControl({ base, value, onChange }: MemberProps & { base: WidgetProps }) {
  const [pairs, setPairs] = useState(() => Object.entries((value ?? {}) as Record<string, string>));
  const change = (next: [string, string][]) => {
    setPairs(next);
    onChange(Object.fromEntries(next.filter(([name]) => name !== '')));
  };
  return (
    <fieldset class="stack" id={base.id} aria-describedby={base.describedBy}>
      <legend class="hide-visually">{base.label}</legend>
      {pairs.map(([name, text], index) => (
        // A pair has no identity but its place while it is typed.
        <div class="row still" key={index}>
          <input
            aria-label="Name"
            value={name}
            onInput={({ currentTarget }) =>
              change(pairs.map((pair, at) => (at === index ? [currentTarget.value, text] : pair)))
            }
          />
          <input
            aria-label="Value"
            value={text}
            onInput={({ currentTarget }) =>
              change(pairs.map((pair, at) => (at === index ? [name, currentTarget.value] : pair)))
            }
          />
          <button
            type="button"
            class="plain"
            aria-label={`Remove ${name}`}
            onClick={() => change(pairs.filter((_, at) => at !== index))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <AddButton onClick={() => setPairs([...pairs, ['', '']])}>Add</AddButton>
    </fieldset>
  );
}

function AddButton({ onClick, children }: { onClick(): void; children: ComponentChildren }) {
  return (
    <span>
      <button type="button" class="small" onClick={onClick}>
        <Icon name="plus" />
        {children}
      </button>
    </span>
  );
}

function JsonInput({
  value,
  onChange,
  ...shared
}: Shared & { value: unknown; onChange(value: unknown): void }) {
  const [text, setText] = useState(() =>
    value === undefined || value === null ? '' : JSON.stringify(value, null, 2),
  );
  const [fault, setFault] = useState<string>();
  const change = (next: string) => {
    setText(next);
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next));
      setFault(undefined);
    } catch (error) {
      setFault(`This is not JSON: ${(error as Error).message}`);
    }
  };
  return (
    <>
      <textarea
        {...shared}
        class="mono"
        rows={4}
        spellcheck={false}
        value={text}
        placeholder="JSON"
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      {fault && <span class="fault">{fault}</span>}
    </>
  );
}
