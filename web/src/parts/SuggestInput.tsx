import type { WidgetProps } from './schemaTypes.ts';

type Option = string | { value: string; text: string };

export type SuggestProps = WidgetProps & { options: readonly Option[]; isMono?: boolean };

/** A text, with values to choose from. */
export function SuggestInput({
  id,
  value,
  onChange,
  describedBy,
  isInvalid,
  schema,
  options,
  isMono = false,
}: SuggestProps) {
  const standard = schema.default;
  return (
    <>
      <input
        id={id}
        type="text"
        class={isMono ? 'mono' : ''}
        list={`${id}-options`}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
        placeholder={typeof standard === 'string' ? standard : ''}
        onInput={({ currentTarget: { value: text } }) => onChange(text === '' ? undefined : text)}
      />
      <datalist id={`${id}-options`}>
        {options.map((option) =>
          typeof option === 'string' ? (
            <option key={option} value={option} />
          ) : (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ),
        )}
      </datalist>
    </>
  );
}
