import { parametersOf } from '../../parts/parametersOf.ts';
import type { WidgetProps } from '../../parts/schemaTypes.ts';
import type { Fields } from '../../state/fields.ts';

type Pair = { name: string; value: string };

/** Values of parameters that another function does not have go with the function. */
export function keepParameters(next: Fields, before: Fields): Fields {
  if (next.funcSignature === before.funcSignature) return next;
  const names = parametersOf(String(next.funcSignature ?? '')).map(({ name }) => name);
  const params = (Array.isArray(next.params) ? (next.params as Pair[]) : []).filter(({ name }) =>
    names.includes(name),
  );
  return { ...next, params };
}

/** One box for each parameter of the chosen function; an empty one is left to the scripts of the bindings. */
export function Parameters({ id, value, onChange, label, signature }: WidgetProps & { signature: string }) {
  const pairs = (Array.isArray(value) ? value : []) as Pair[];
  const parameters = parametersOf(signature);
  const change = (name: string, text: string) => {
    const rest = pairs.filter((pair) => pair.name !== name);
    onChange(text === '' ? rest : [...rest, { name, value: text }]);
  };
  return (
    <fieldset class="nested stack" id={id}>
      <legend class="hide-visually">{label}</legend>
      {parameters.length === 0 && (
        <span class="dim">
          {signature === '' ? 'Choose a function first.' : 'The function takes no parameters.'}
        </span>
      )}
      {parameters.map(({ name, type }) => (
        <label class="field" key={name}>
          <span>
            <code class="foreign">{name}</code> <span class="dim small">{type}</span>
          </span>
          <input
            class="mono"
            autocomplete="off"
            value={pairs.find((pair) => pair.name === name)?.value ?? ''}
            placeholder="fixed value; empty: from a script of the binding"
            onInput={({ currentTarget }) => change(name, currentTarget.value)}
          />
        </label>
      ))}
    </fieldset>
  );
}
