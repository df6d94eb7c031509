import { useState } from 'preact/hooks';
import type { BodyOf } from '../../../../sdk/src/index.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { WordsInput } from '../../parts/WordsInput.tsx';
import { client } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { useLoad } from '../../state/useLoad.ts';

/** Alerts by a query; several where they were ticked one by one. */
export type Selection = Pick<BodyOf<'POST', '/alert/tag'>, 'query' | 'timeseries'>;

export type TagAlertsProps = {
  selections: readonly Selection[];
  onClose(): void;
  onDone(text: string): void;
};

/** Adds and removes tags of many alerts; says how many would change while the tags are typed. */
export function TagAlerts({ selections, onClose, onDone }: TagAlertsProps) {
  const [add, setAdd] = useState<readonly string[]>([]);
  const [remove, setRemove] = useState<readonly string[]>([]);
  const [state, setState] = useState<{ isBusy?: boolean; error?: unknown }>({});
  const isEmpty = add.length + remove.length === 0;
  const send = async (dryRun: boolean, signal?: AbortSignal): Promise<number> => {
    let count = 0;
    const tags = { add: [...add], remove: [...remove] };
    for (const selection of selections) {
      const body = { ...selection, ...tags, dryRun };
      count += (await client.post('/alert/tag', { body, ...(signal ? { signal } : {}) })).count;
    }
    return count;
  };
  const counted = useLoad(isEmpty ? null : JSON.stringify([add, remove]), (signal) => send(true, signal));
  const save = async (event: Event) => {
    event.preventDefault();
    setState({ isBusy: true });
    try {
      onDone(`Changed the tags of ${showCount(await send(false))}.`);
    } catch (error) {
      setState({ error });
    }
  };
  return (
    <Dialog title="Tag alerts" onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <div class="field">
          <label class="label" for="bulk-tags">
            Tags to add
          </label>
          <WordsInput id="bulk-tags" value={add} onChange={setAdd} />
        </div>
        <div class="field">
          <label class="label" for="bulk-untags">
            Tags to remove
          </label>
          <WordsInput id="bulk-untags" value={remove} onChange={setRemove} />
        </div>
        <Problem error={state.error ?? counted.error} />
        <p class="dim" role="status">
          {isEmpty
            ? 'Type a tag and press Enter.'
            : counted.isLoading
              ? 'Counting …'
              : `${showCount(counted.data ?? 0)} ${counted.data === 1 ? 'alert' : 'alerts'} will change.`}
        </p>
        <div class="row end">
          <button type="submit" class="primary" disabled={isEmpty || state.isBusy}>
            Change tags
          </button>
        </div>
      </form>
    </Dialog>
  );
}
