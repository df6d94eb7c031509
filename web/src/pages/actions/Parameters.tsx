import type { WidgetProps } from '../../parts/schemaTypes.ts';

type Pair = { name: string; value: string };

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

/** Parameters of a signature such as `transfer(address to, uint256 amount)`; one without a name is called by its place. */
function parametersOf(signature: string): { name: string; type: string }[] {
  const inside = signature.slice(signature.indexOf('(') + 1, signature.lastIndexOf(')'));
  if (!signature.includes('(') || inside.trim() === '') return [];
  return splitTop(inside).map((part, index) => {
    const words = part.trim().split(/\s+(?![^(]*\))/);
    return { type: words[0] ?? '', name: words.length > 1 ? words.at(-1)! : String(index) };
  });
}

/** Parts between the commas that are in no bracket. */
function splitTop(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const sign of text) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (sign === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += sign;
  }
  return parts;
}
