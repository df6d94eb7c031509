import { controlAttributes, type WidgetProps } from './schemaTypes.ts';

const once = 'once';
const everyLook = 'every look';
const again = '1 h';

/** How often a condition is reported while it holds: once, again after a time, or at every look. */
export function RepeatInput(props: WidgetProps) {
  const { id, value, onChange } = props;
  const chosen = typeof value === 'string' ? value : once;
  const isTime = chosen !== once && chosen !== everyLook;
  return (
    <div class="row">
      <select
        {...controlAttributes(props)}
        value={isTime ? again : chosen}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        <option value={once}>Once, when it begins to hold</option>
        <option value={again}>Again after a time while it holds</option>
        <option value={everyLook}>At every look while it holds</option>
      </select>
      {isTime && (
        <label class="row">
          <span class="dim">after</span>
          <input
            type="text"
            id={`${id}-time`}
            value={chosen}
            aria-describedby={props.describedBy}
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
          />
        </label>
      )}
    </div>
  );
}
