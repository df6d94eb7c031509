import { useState } from 'preact/hooks';
import { isUnreadable } from './fieldFaults.ts';
import { baseType, controlAttributes, placeholderOf, type WidgetProps } from './schemaTypes.ts';

/** A number; what is none stays in the box and is said, and keeps the form from being sent. */
export function NumberInput(props: WidgetProps) {
  const { schema, value, onChange } = props;
  const [isFault, setFault] = useState(false);
  return (
    <>
      <input
        {...controlAttributes(props)}
        type="number"
        step={baseType(schema) === 'integer' ? 1 : 'any'}
        min={schema.minimum}
        max={schema.maximum}
        // What cannot be read is nothing to the box, which keeps it on screen as long as no other value is written.
        value={isFault || value === undefined || value === null ? '' : String(value)}
        placeholder={placeholderOf(schema)}
        onInput={({ currentTarget }) => {
          const isBroken = isUnreadable(currentTarget.validity);
          setFault(isBroken);
          if (!isBroken) onChange(currentTarget.value === '' ? undefined : Number(currentTarget.value));
        }}
      />
      {isFault && <span class="fault">This is not a number.</span>}
    </>
  );
}
