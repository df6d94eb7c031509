import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isSame } from '../state/fields.ts';
import { controlAttributes, type WidgetProps } from './schemaTypes.ts';

const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : JSON.stringify(value, null, 2);

/** Any value as JSON; what cannot be read is kept in the box and said, and keeps the form from being sent. */
export function JsonInput(props: WidgetProps) {
  const { value, onChange } = props;
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => textOf(value));
  const sent = useRef(value);
  const { value: read, fault } = parse(text);
  // A value from elsewhere takes the place of the text.
  if (!isSame(value, sent.current)) {
    sent.current = value;
    if (!isSame(value, read)) setText(textOf(value));
  }
  useLayoutEffect(() => box.current?.setCustomValidity(fault ?? ''), [fault]);
  return (
    <>
      <textarea
        {...controlAttributes(props)}
        {...(fault === undefined ? {} : { 'aria-invalid': true })}
        ref={box}
        class="mono"
        rows={4}
        spellcheck={false}
        value={text}
        placeholder="JSON"
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          const next = parse(currentTarget.value);
          if (next.fault !== undefined) return;
          sent.current = next.value;
          onChange(next.value);
        }}
      />
      {fault && <span class="fault">{fault}</span>}
    </>
  );
}

function parse(text: string): { value?: unknown; fault?: string } {
  if (text.trim() === '') return {};
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { fault: `This is not JSON: ${(error as Error).message}` };
  }
}
