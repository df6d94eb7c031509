import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Fault, faultsOf, send, VigilError } from '../state/api.ts';
import { changesOf, clearEmptied, type Fields, isSame, valueAt } from '../state/fields.ts';
import type { Schema } from '../state/schemas.ts';
import { useBodySchema } from '../state/schemas.ts';
import { mayChooseTenant, tenantId } from '../state/session.ts';
import { toast, toastHeld } from '../state/toasts.ts';
import { leave, useUnsaved } from '../state/unsaved.ts';
import { Loading } from './Empty.tsx';
import { FormChanges } from './FormChanges.tsx';
import { FormFaults } from './FormFaults.tsx';
import { holdsUnreadable } from './fieldFaults.ts';
import { SchemaForm } from './SchemaForm.tsx';
import type { Widgets } from './schemaTypes.ts';
import { TenantInput } from './TenantInput.tsx';

export type { Fields };

export type RecordFormProps = {
  /** As in the API: `/destination`. */
  path: string;
  /** What one is called in a sentence: destination. */
  singular: string;
  /** The record that is changed, as the server has it; without it one is created. */
  record?: Fields | undefined;
  /** What a new one starts with. */
  defaults?: Fields;
  /** Whether each belongs to a tenant, so that an administrator who looks at all of them is asked for one. */
  needsTenant?: boolean;
  hidden?: readonly string[];
  order?: readonly string[];
  labels?: Readonly<Record<string, string>>;
  widgets?: Widgets;
  /** The form of some kinds depends on what was chosen so far. */
  shape?(schema: Schema, value: Fields): Schema;
  /** What else changes along with what was typed. */
  follow?(next: Fields, before: Fields): Fields;
  /** Called with what is typed, for what stands beside the form. */
  onChange?(value: Fields): void;
  /** With the stored record, unless it waits for a second user. */
  onDone(record: Fields | undefined, headers: Headers): void;
  onCancel?(): void;
  /** Stands beside the button that saves. */
  beside?: ComponentChildren;
};

type State = { isBusy: boolean; error?: unknown; faults: readonly Fault[]; note?: string; round: number };

/** Creates or changes a record with the form that the API's own schema gives; sends only what differs from what the server has. */
export function RecordForm(props: RecordFormProps) {
  const { path, singular, record, defaults = {}, hidden = [], onDone, onCancel, shape } = props;
  const endpoint = record ? `PUT ${path}/{id}` : `POST ${path}`;
  const schema = useBodySchema(endpoint);
  const form = useRef<HTMLFormElement>(null);
  /** What was typed, by member; undefined where it was emptied. */
  const [edits, setEdits] = useState<Fields>({});
  const [state, setState] = useState<State>({ isBusy: false, faults: [], round: 0 });
  // A second press after a lost answer must not create a second record.
  const key = useRef(newKey());
  /** Edits that the server has, until the record that is read again shows them. */
  const sent = useRef<Fields>({});
  const unsent = Object.entries(edits).filter(
    ([name, typed]) => !(name in sent.current && isSame(sent.current[name], typed)),
  );
  const settle = useUnsaved(form, unsent.length > 0);
  useEffect(() => {
    if (unsent.length < Object.keys(edits).length) setEdits(Object.fromEntries(unsent));
    sent.current = {};
  }, [record?.updatedAt]);
  if (!schema) return <Loading />;
  const names = Object.keys(schema.properties ?? {});
  const asksTenant = !record && mayChooseTenant.value && names.includes('tenantId');
  const base = record ?? {
    ...(asksTenant && tenantId.value !== undefined ? { tenantId: tenantId.value } : {}),
    ...defaults,
  };
  const value = Object.fromEntries(
    Object.entries({ ...base, ...edits }).filter(([, member]) => member !== undefined),
  );
  const isOutputOnly = (name: string) => record !== undefined && schema.properties?.[name]?.readOnly === true;
  const left = [...hidden, ...(asksTenant ? [] : ['tenantId']), ...names.filter(isOutputOnly)];
  const mustChoose = asksTenant && props.needsTenant === true;
  const shaped = requireTenant(shape ? shape(schema, value) : schema, mustChoose);

  const change = (typed: Fields) => {
    const next = props.follow ? props.follow(typed, value) : typed;
    const kept = state.faults.filter(({ pointer }) =>
      isSame(valueAt(value, pointer), valueAt(next, pointer)),
    );
    setState({ ...state, faults: kept, note: '', ...(kept.length === 0 ? { error: undefined } : {}) });
    setEdits(changesOf(base, next));
    props.onChange?.(next);
  };
  const save = async (event: Event) => {
    event.preventDefault();
    const { round } = state;
    const refuse = (rest: Partial<State>) =>
      setState({ isBusy: false, faults: [], ...rest, round: round + 1 });
    if (form.current && holdsUnreadable(form.current)) return refuse({});
    const body = record
      ? Object.fromEntries(
          names
            .filter((name) => name in edits)
            .map((name) => [name, clearEmptied(record[name], edits[name])]),
        )
      : value;
    if (record && Object.keys(body).length === 0) return refuse({ note: 'Nothing has been changed.' });
    setState({ ...state, isBusy: true, note: '' });
    try {
      const { data, headers } = record
        ? await send('PUT', `${path}/{id}`, { path: { id: Number(record.id) }, body })
        : await send('POST', path, { body, idempotencyKey: key.current });
      toast(record ? `Saved the ${singular}.` : `Created the ${singular}.`);
      sent.current = edits;
      settle();
      setState({ isBusy: false, faults: [], round });
      onDone(data as Fields, headers);
    } catch (error) {
      if (toastHeld(error)) {
        settle();
        return onDone(undefined, new Headers());
      }
      if (error instanceof VigilError && error.status >= 400 && error.status < 500) key.current = newKey();
      refuse({ error, faults: faultsOf(error) });
    }
  };
  return (
    <form class="stack" ref={form} onSubmit={save} noValidate>
      <SchemaForm
        schema={shaped}
        value={value}
        onChange={change}
        faults={state.faults}
        hidden={left}
        order={orderWith(props.order ?? schema['x-order'] ?? [], asksTenant, mustChoose)}
        {...(props.labels ? { labels: props.labels } : {})}
        widgets={{
          ...(mustChoose ? { tenantId: (own) => <TenantInput {...own} /> } : {}),
          ...props.widgets,
        }}
      />
      {record && unsent.length > 0 && <FormChanges before={base} after={value} labels={props.labels} />}
      <FormFaults form={form} error={state.error} faults={state.faults} round={state.round} />
      <div class="row end">
        {props.beside}
        {state.note && <span role="status">{state.note}</span>}
        {onCancel && (
          <button type="button" onClick={() => leave(onCancel, form.current)}>
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

function requireTenant(schema: Schema, isNeeded: boolean): Schema {
  return isNeeded ? { ...schema, required: [...(schema.required ?? []), 'tenantId'] } : schema;
}

/** Never folded away: an administrator has to see whose a new record will be. */
function orderWith(order: readonly string[], asksTenant: boolean, isFirst: boolean): readonly string[] {
  if (!asksTenant || order.includes('tenantId')) return order;
  return isFirst ? ['tenantId', ...order] : [...order, 'tenantId'];
}
