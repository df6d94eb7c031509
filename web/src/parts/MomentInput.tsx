import { controlAttributes, type WidgetProps } from './schemaTypes.ts';

/** A moment by the clock of the browser; the API counts in milliseconds. */
export function MomentInput(props: WidgetProps) {
  const { value, onChange } = props;
  return (
    <input
      {...controlAttributes(props)}
      type="datetime-local"
      value={typeof value === 'number' ? toLocal(value) : ''}
      onInput={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? undefined : new Date(currentTarget.value).getTime())
      }
    />
  );
}

function toLocal(ms: number): string {
  const offset = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offset).toISOString().slice(0, 16);
}
