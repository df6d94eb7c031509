import { faultsOf, messageOf } from '../state/api.ts';

/** Why something failed, and what would be right. Faults of members that a form shows itself are left to it. */
export function Problem({
  error,
  shown = [],
  retry,
}: {
  error: unknown;
  shown?: readonly string[];
  retry?: () => void;
}) {
  if (error === undefined || error === null) return null;
  const faults = faultsOf(error);
  const rest = faults.filter(
    ({ pointer }) => !shown.some((own) => pointer === own || pointer.startsWith(`${own}/`)),
  );
  return (
    <div class="notice bad" role="alert">
      <p class="foreign">
        {faults.length > 0 && rest.length === 0 ? 'Some of the values below do not fit.' : messageOf(error)}
      </p>
      {rest.length > 0 && (
        <ul>
          {rest.map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`} class="foreign">
              <code>{pointer}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {retry && (
        <button type="button" class="link" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
