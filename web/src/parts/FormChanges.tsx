import { type Fields, isSame } from '../state/fields.ts';
import { toLabel } from '../state/format.ts';

export type FormChangesProps = {
  before: Fields;
  after: Fields;
  labels?: Readonly<Record<string, string>> | undefined;
};

const maxShown = 30;

/** What saving would change, member by member, before and after. */
export function FormChanges({ before, after, labels = {} }: FormChangesProps) {
  const changes = differences(before, after);
  if (changes.length === 0) return null;
  return (
    <details class="form-changes" open={changes.length <= 5}>
      <summary>{changes.length === 1 ? '1 change' : `${changes.length} changes`} to save</summary>
      <dl class="facts">
        {changes.slice(0, maxShown).map(({ path, before: old, after: next }) => (
          <>
            <dt key={path.join('.')} class="foreign">
              {path.map((name) => labels[name] ?? toLabel(name)).join(' › ')}
            </dt>
            <dd class="foreign">
              {old !== undefined && old !== null && <del>{toText(old)}</del>}{' '}
              {next === undefined || next === null ? (
                <span class="dim">as usual</span>
              ) : (
                <ins>{toText(next)}</ins>
              )}
            </dd>
          </>
        ))}
      </dl>
      {changes.length > maxShown && <p class="dim small">and {changes.length - maxShown} more</p>}
    </details>
  );
}

type Difference = { path: string[]; before: unknown; after: unknown };

/** The innermost members that differ; lists are compared item by item. */
export function differences(before: unknown, after: unknown, path: string[] = []): Difference[] {
  if (isSame(before, after)) return [];
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after))
    return [{ path, before, after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) =>
    differences(before[name], after[name], [...path, Array.isArray(after) ? String(Number(name) + 1) : name]),
  );
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function toText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
