import { useState } from 'preact/hooks';
import { client } from '../state/api.ts';
import { can, chooseTenant } from '../state/session.ts';
import { attempt } from '../state/toasts.ts';
import { RecordSelect } from './RecordSelect.tsx';
import { controlAttributes, type WidgetProps } from './schemaTypes.ts';

/** Chooses the tenant of a new record, or makes one in place; from then on it is looked at. */
export function TenantInput(
  props: Pick<WidgetProps, 'id' | 'value' | 'onChange' | 'describedBy' | 'isInvalid'>,
) {
  const { value, onChange } = props;
  const [name, setName] = useState<string>();
  const create = () =>
    attempt(async () => {
      const { id } = await client.post('/tenant', { body: { name: name?.trim() ?? '' } });
      setName(undefined);
      onChange(id);
      chooseTenant(id);
    }, 'Created the tenant.');
  return (
    <>
      <RecordSelect
        {...controlAttributes(props)}
        kind="tenant"
        value={value as number | undefined}
        onChange={onChange}
      />
      {can('POST /tenant') && name === undefined && (
        <span>
          <button type="button" class="link" onClick={() => setName('')}>
            New tenant
          </button>
        </span>
      )}
      {name !== undefined && (
        <div class="row still">
          <input
            aria-label="Name of the new tenant"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              void create();
            }}
          />
          <button type="button" disabled={name.trim() === ''} onClick={create}>
            Create tenant
          </button>
        </div>
      )}
    </>
  );
}
