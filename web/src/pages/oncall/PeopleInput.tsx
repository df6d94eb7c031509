import { controlAttributes, type WidgetProps } from '../../parts/schemaTypes.ts';
import { usePeople } from './usePeople.ts';

/** Chooses one user of the tenant by name. */
export function PersonSelect(props: WidgetProps) {
  const { people } = usePeople();
  const value = typeof props.value === 'number' ? props.value : undefined;
  return (
    <select
      {...controlAttributes(props)}
      value={value ?? ''}
      onChange={({ currentTarget }) =>
        props.onChange(currentTarget.value === '' ? undefined : Number(currentTarget.value))
      }
    >
      <option value="">Choose …</option>
      {value !== undefined && !people.some(({ userId }) => userId === value) && (
        <option value={value}>user #{value}</option>
      )}
      {people.map(({ userId, name }) => (
        <option key={userId} value={userId}>
          {name.slice(0, 100)}
        </option>
      ))}
    </select>
  );
}

/** Users in the order in which they take turns. */
export function PeopleInput(props: WidgetProps) {
  const { value, onChange, label, id, describedBy } = props;
  const { people } = usePeople();
  const chosen = Array.isArray(value) ? value.filter((one) => typeof one === 'number') : [];
  const nameOf = (userId: number) =>
    (people.find((one) => one.userId === userId)?.name ?? `user #${userId}`).slice(0, 100);
  const moved = (index: number) => {
    const next = [...chosen];
    next.splice(index - 1, 0, ...next.splice(index, 1));
    return next;
  };
  return (
    <div class="stack">
      {chosen.length > 0 && (
        <ol class="turns" aria-label={label}>
          {chosen.map((userId, index) => (
            // Someone may take several turns in a round.
            <li key={index} class="row tight">
              <span class="grow foreign">
                {index + 1}. {nameOf(userId)}
              </span>
              {index > 0 && (
                <button
                  type="button"
                  class="link"
                  aria-label={`Move ${nameOf(userId)} up`}
                  onClick={() => onChange(moved(index))}
                >
                  Up
                </button>
              )}
              <button
                type="button"
                class="link"
                aria-label={`Remove ${nameOf(userId)}`}
                onClick={() => onChange(chosen.filter((_, at) => at !== index))}
              >
                Remove
              </button>
            </li>
          ))}
        </ol>
      )}
      <select
        id={id}
        aria-describedby={describedBy}
        value=""
        onChange={({ currentTarget }) => {
          const { value } = currentTarget;
          currentTarget.value = '';
          if (value !== '') onChange([...chosen, Number(value)]);
        }}
      >
        <option value="">Add someone …</option>
        {people.map(({ userId, name }) => (
          <option key={userId} value={userId}>
            {name.slice(0, 100)}
          </option>
        ))}
      </select>
    </div>
  );
}
