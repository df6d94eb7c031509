import { baseType, controlAttributes, placeholderOf, type WidgetProps } from './schemaTypes.ts';

export function NumberInput(props: WidgetProps) {
  const { schema, value, onChange } = props;
  return (
    <input
      {...controlAttributes(props)}
      type="number"
      step={baseType(schema) === 'integer' ? 1 : 'any'}
      min={schema.minimum}
      max={schema.maximum}
      value={value === undefined || value === null ? '' : String(value)}
      placeholder={placeholderOf(schema)}
      onInput={({ currentTarget: { value: text } }) => onChange(text === '' ? undefined : Number(text))}
    />
  );
}
