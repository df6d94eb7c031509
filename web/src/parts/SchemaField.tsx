import type { ComponentChildren } from 'preact';
import type { Fault } from '../state/api.ts';
import { InlineMarkdown } from './InlineMarkdown.tsx';
import type { WidgetProps } from './schemaTypes.ts';

export type SchemaFieldProps = {
  base: WidgetProps;
  isRequired: boolean;
  pointer: string;
  /** Faults of this member. */
  faults: readonly Fault[];
  children: ComponentChildren;
};

/** A member of a form: its label, its control, what is wrong with it and what it means. */
export function SchemaField({ base, isRequired, pointer, faults, children }: SchemaFieldProps) {
  return (
    <div class="field" data-pointer={pointer}>
      <label class="label" for={base.id}>
        {base.label}
        {isRequired && <span class="dim"> (required)</span>}
      </label>
      {children}
      <Hint base={base} faults={faults} />
    </div>
  );
}

/** A member that is on or off: the label stands beside its box. */
export function CheckField({ base, pointer, faults }: Omit<SchemaFieldProps, 'isRequired' | 'children'>) {
  const { schema, value, onChange, label, describedBy } = base;
  return (
    <div class="field" data-pointer={pointer}>
      <label class="check">
        <input
          type="checkbox"
          aria-describedby={describedBy}
          checked={(value ?? schema.default) === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        <span class="label">{label}</span>
      </label>
      <Hint base={base} faults={faults} />
    </div>
  );
}

function Hint({ base, faults }: Pick<SchemaFieldProps, 'base' | 'faults'>) {
  return (
    <span id={base.describedBy} class="stack">
      {faults.map(({ message }) => (
        <span class="fault foreign" key={message}>
          {message}
        </span>
      ))}
      {base.schema.description && (
        <span class="hint">
          <InlineMarkdown text={inPlainWords(base.schema.description)} />
        </span>
      )}
    </span>
  );
}

/** In a form there is no null: a box is left empty. */
function inPlainWords(description: string): string {
  return description.replace(/if (left out or )?null\b/g, 'if left empty');
}
