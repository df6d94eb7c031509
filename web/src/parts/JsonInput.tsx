import { useState } from 'preact/hooks';
import { controlAttributes, type WidgetProps } from './schemaTypes.ts';

/** Any value as JSON; what cannot be read is kept in the box and said. */
export function JsonInput(props: WidgetProps) {
  const { value, onChange } = props;
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
        {...controlAttributes(props)}
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
