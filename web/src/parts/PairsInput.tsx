import { useState } from 'preact/hooks';
import { AddButton } from './AddButton.tsx';
import { Icon } from './Icon.tsx';
import type { WidgetProps } from './schemaTypes.ts';

type Pair = [name: string, text: string];

/** Texts by names that are free, such as HTTP headers. */
export function PairsInput({ id, describedBy, label, value, onChange }: WidgetProps) {
  const [pairs, setPairs] = useState(() => Object.entries((value ?? {}) as Record<string, string>));
  const change = (next: Pair[]) => {
    setPairs(next);
    onChange(Object.fromEntries(next.filter(([name]) => name !== '')));
  };
  const replace = (index: number, pair: Pair) =>
    change(pairs.map((other, at) => (at === index ? pair : other)));
  return (
    <fieldset class="stack" id={id} aria-describedby={describedBy}>
      <legend class="hide-visually">{label}</legend>
      {pairs.map(([name, text], index) => (
        // A pair has no identity but its place while it is typed.
        <div class="row still" key={index}>
          <input
            aria-label="Name"
            value={name}
            onInput={({ currentTarget }) => replace(index, [currentTarget.value, text])}
          />
          <input
            aria-label="Value"
            value={text}
            onInput={({ currentTarget }) => replace(index, [name, currentTarget.value])}
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
      <AddButton onClick={() => setPairs([...pairs, ['', '']])} />
    </fieldset>
  );
}
