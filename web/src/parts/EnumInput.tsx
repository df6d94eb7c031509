import { hintOf, wordOf } from './enumWords.ts';
import { controlAttributes, type WidgetProps } from './schemaTypes.ts';

/** One of some values. */
export function EnumSelect(props: WidgetProps) {
  const { schema, value, onChange } = props;
  const values = (schema.enum ?? []).filter((option) => option !== null).map(String);
  const standard =
    schema.default === undefined || schema.default === null ? undefined : String(schema.default);
  return (
    <select
      {...controlAttributes(props)}
      value={value === undefined || value === null ? '' : String(value)}
      onChange={({ currentTarget: { value: text } }) =>
        onChange(text === '' ? undefined : (schema.enum?.find((option) => String(option) === text) ?? text))
      }
    >
      <option value="">
        {standard === undefined ? (schema['x-none'] ?? 'Choose …') : `${wordOf(standard, values)} (default)`}
      </option>
      {values.map((option) => (
        <option key={option} value={option}>
          {schema['x-words']?.[option] ?? wordOf(option, values)}
        </option>
      ))}
    </select>
  );
}

/** Any of some values, in the order of the schema. */
export function EnumChecks({ id, describedBy, label, schema, value, onChange }: WidgetProps) {
  const options = schema.items?.enum ?? [];
  const chosen = new Set((Array.isArray(value) ? value : []).map(String));
  return (
    <fieldset class="row" id={id} aria-describedby={describedBy}>
      <legend class="hide-visually">{label}</legend>
      {options.map((option) => (
        <label class="check" key={String(option)}>
          <input
            type="checkbox"
            checked={chosen.has(String(option))}
            onChange={({ currentTarget: { checked } }) =>
              onChange(options.filter((other) => (other === option ? checked : chosen.has(String(other)))))
            }
          />
          <span>
            {wordOf(String(option), options.map(String))}
            {hintOf(String(option)) && <span class="dim small"> – {hintOf(String(option))}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
