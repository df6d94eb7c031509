import { Confirm } from '../../parts/Dialog.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { client } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { useLoad } from '../../state/useLoad.ts';
import type { Selection } from './TagAlerts.tsx';

export type ResolveFoundProps = { selection: Selection; onClose(): void; onDone(text: string): void };

/** Resolves everything that a search finds, after it has been counted. */
export function ResolveFound({ selection, onClose, onDone }: ResolveFoundProps) {
  const counted = useLoad('count', (signal) =>
    client.post('/alert/resolve', { body: { ...selection, dryRun: true }, signal }),
  );
  const resolve = async () => {
    let count = 0;
    // A request changes so many at most; the next one goes on with the rest.
    for (let isComplete = false; !isComplete; ) {
      const part = await client.post('/alert/resolve', { body: { ...selection, resolved: true } });
      count += part.count;
      isComplete = part.isComplete || part.count === 0;
    }
    onDone(`${showCount(count)} resolved.`);
  };
  const { count, isComplete } = counted.data ?? {};
  return (
    <Confirm
      title="Resolve everything that the search finds?"
      action="Resolve all found"
      onClose={onClose}
      onConfirm={resolve}
    >
      <Problem error={counted.error} />
      <p role="status">
        {count === undefined
          ? 'Counting …'
          : `${isComplete ? '' : 'More than '}${showCount(count)} open alerts of the search, seen or not, will be marked as resolved.`}
      </p>
    </Confirm>
  );
}
