import { useRef, useState } from 'preact/hooks';
import { faultsOf, send, VigilError } from '../state/api.ts';
import type { Schema } from '../state/schemas.ts';
import { useBodySchema } from '../state/schemas.ts';
import { mayChooseTenant, tenantId } from '../state/session.ts';
import { toast, toastHeld } from '../state/toasts.ts';
import { Loading } from './Empty.tsx';
import { Problem } from './Problem.tsx';
import { SchemaForm } from './SchemaForm.tsx';
import type { Widgets } from './schemaTypes.ts';

export type Fields = Record<string, unknown>;

export type RecordFormProps = {
  /** As in the API: `/destination`. */
  path: string;
  /** What one is called in a sentence: destination. */
  singular: string;
  /** The record that is changed; without it one is created. */
  record?: Fields | undefined;
  /** What a new one starts with. */
  defaults?: Fields;
  hidden?: readonly string[];
  order?: readonly string[];
  labels?: Readonly<Record<string, string>>;
  widgets?: Widgets;
  /** The form of some kinds depends on what was chosen so far. */
  shape?(schema: Schema, value: Fields): Schema;
  /** Called with what is typed, for what stands beside the form. */
  onChange?(value: Fields): void;
  /** With the stored record, unless it waits for a second user. */
  onDone(record: Fields | undefined, headers: Headers): void;
  onCancel?(): void;
};

/** Creates or changes a record with the form that the API's own schema gives; sends only what was changed. */
export function RecordForm(props: RecordFormProps) {
  const { path, singular, record, defaults = {}, hidden = [], onDone, onCancel, shape } = props;
  const endpoint = record ? `PUT ${path}/{id}` : `POST ${path}`;
  const schema = useBodySchema(endpoint);
  const [value, setValue] = useState<Fields>(() => ({ ...(record ?? defaults) }));
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  // A second press after a lost answer must not create a second record.
  const key = useRef(newKey());
  if (!schema) return <Loading />;
  const names = Object.keys(schema.properties ?? {});
  const takesTenant = names.includes('tenantId');
  const isOutputOnly = (name: string) => record !== undefined && schema.properties?.[name]?.readOnly === true;
  const left = [
    ...hidden,
    ...(takesTenant && (!mayChooseTenant.value || record) ? ['tenantId'] : []),
    ...names.filter(isOutputOnly),
  ];
  const shaped = shape ? shape(schema, value) : schema;

  const save = async (event: Event) => {
    event.preventDefault();
    setState({ isBusy: true });
    try {
      const body = record
        ? changedMembers(record, value, names)
        : { ...ofChosenTenant(takesTenant), ...value };
      const { data, headers } = record
        ? await send('PUT', `${path}/{id}`, { path: { id: Number(record.id) }, body })
        : await send('POST', path, { body, idempotencyKey: key.current });
      toast(record ? `Saved the ${singular}.` : `Created the ${singular}.`);
      onDone(data as Fields, headers);
    } catch (error) {
      if (toastHeld(error)) return onDone(undefined, new Headers());
      if (error instanceof VigilError && error.status >= 400 && error.status < 500) key.current = newKey();
      setState({ isBusy: false, error });
    }
  };
  const faults = faultsOf(state.error);
  return (
    <form class="stack" onSubmit={save} noValidate>
      <Problem
        error={state.error}
        shown={names.filter((name) => !left.includes(name)).map((name) => `/${name}`)}
      />
      <SchemaForm
        schema={shaped}
        value={takesTenant && !record ? { ...ofChosenTenant(true), ...value } : value}
        onChange={(next) => {
          setValue(next);
          props.onChange?.(next);
        }}
        faults={faults}
        hidden={left}
        {...(props.order ? { order: props.order } : {})}
        {...(props.labels ? { labels: props.labels } : {})}
        {...(props.widgets ? { widgets: props.widgets } : {})}
      />
      <div class="row end">
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button type="submit" class="primary" disabled={state.isBusy}>
          {record ? 'Save' : `Create ${singular}`}
        </button>
      </div>
    </form>
  );
}

/** `crypto.randomUUID` is missing in pages without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join('-');
}

function ofChosenTenant(takesTenant: boolean): Fields {
  return takesTenant && mayChooseTenant.value && tenantId.value !== undefined
    ? { tenantId: tenantId.value }
    : {};
}

/** Members that differ; one that was emptied is cleared with null. */
function changedMembers(before: Fields, after: Fields, names: readonly string[]): Fields {
  const changed = names.filter(
    (name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(after[name] ?? null),
  );
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]));
}
