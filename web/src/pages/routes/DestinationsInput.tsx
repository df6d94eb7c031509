import type { WidgetProps } from '../../parts/schemaTypes.ts';
import { searchRecords } from '../../state/api.ts';
import { changes } from '../../state/changes.ts';
import { mayChooseTenant, tenantId } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

export type DestinationRow = { id: number; name: string | null; type: string; value: string | null };

export function useDestinations() {
  const where = mayChooseTenant.value && tenantId.value ? `tenantId = ${tenantId.value}` : '';
  return useLoad(`destinations of routes ${where} ${changes.value}`, (signal) =>
    searchRecords<DestinationRow>('/destination', { size: 500, where }, signal),
  );
}

export function destinationName({ id, name, value }: DestinationRow): string {
  return (name ?? value ?? `destination #${id}`).slice(0, 100);
}

/** Ticks the destinations of a route. */
export function DestinationsInput({ id, value, onChange, label, describedBy }: WidgetProps) {
  const { data } = useDestinations();
  const chosen = Array.isArray(value) ? value.filter((item) => typeof item === 'number') : [];
  const known = new Set(data?.data.map((row) => row.id));
  const rows = [
    ...(data?.data ?? []),
    ...chosen
      .filter((chosenId) => data && !known.has(chosenId))
      .map((chosenId) => ({ id: chosenId, name: null, type: '', value: null })),
  ];
  return (
    <fieldset id={id} class="stack tight" aria-label={label} aria-describedby={describedBy}>
      {data && rows.length === 0 && <span class="dim">There is no destination yet.</span>}
      {rows.map((row) => (
        <label class="check" key={row.id}>
          <input
            type="checkbox"
            checked={chosen.includes(row.id)}
            onChange={({ currentTarget }) =>
              onChange(
                currentTarget.checked ? [...chosen, row.id] : chosen.filter((other) => other !== row.id),
              )
            }
          />
          <span class="foreign">{destinationName(row)}</span>
        </label>
      ))}
    </fieldset>
  );
}
