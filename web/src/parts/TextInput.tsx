import { controlAttributes, placeholderOf, type WidgetProps } from './schemaTypes.ts';

/** A text: in one line, in several where it may be long, hidden where it is a secret. An empty one is none. */
export function TextInput(props: WidgetProps) {
  const { name, schema, value, onChange } = props;
  const isScript = schema.format === 'script';
  const shared = {
    ...controlAttributes(props),
    value: typeof value === 'string' ? value : '',
    placeholder: placeholderOf(schema),
  };
  const change = (text: string) => onChange(text === '' ? undefined : text);
  if (isScript || ((schema.maxLength ?? 0) >= 4000 && schema.format !== 'uri'))
    return (
      <textarea
        {...shared}
        rows={isScript ? 6 : 3}
        class={isScript ? 'mono' : ''}
        spellcheck={!isScript}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    );
  return (
    <input
      {...shared}
      {...(schema.writeOnly || /password|secret|privatekey/i.test(name)
        ? { type: 'password' }
        : { type: 'text' })}
      autocomplete="off"
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}
