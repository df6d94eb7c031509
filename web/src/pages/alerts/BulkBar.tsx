import { useState } from 'preact/hooks';
import type { Alert } from '../../../../sdk/src/index.ts';
import { Confirm, Dialog } from '../../parts/Dialog.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { WordsInput } from '../../parts/WordsInput.tsx';
import { client } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { can } from '../../state/session.ts';
import { attempt, toast } from '../../state/toasts.ts';
import { type AlertSearch, countedTo } from './useAlertPages.ts';

export type BulkBarProps = {
  rows: readonly Alert[];
  selected: ReadonlySet<string | number>;
  total: number;
  search: AlertSearch;
  onDone(): void;
};

/** What can be done with the ticked alerts, or with everything that the search finds. */
export function BulkBar({ rows, selected, total, search, onDone }: BulkBarProps) {
  const [isAsking, setAsking] = useState(false);
  const [tags, setTags] = useState<readonly string[]>();
  if (!can('POST /alert/resolve')) return null;
  const ticked = rows.filter(({ uid }) => selected.has(uid));
  const resolve = (resolved: boolean) =>
    attempt(async () => {
      let count = 0;
      for (let at = 0; at < ticked.length; at += 200) {
        const uids = ticked.slice(at, at + 200).map(({ uid }) => `"${uid}"`);
        const body = { query: `uid:(${uids.join(' OR ')})`, resolved };
        count += (await client.post('/alert/resolve', { body })).count;
      }
      toast(`${showCount(count)} ${resolved ? 'resolved' : 'open again'}.`);
      onDone();
    });
  const addTags = () =>
    attempt(
      async () => {
        for (const { uid, tags: own } of ticked)
          await client.put('/alert/{uid}', {
            path: { uid },
            body: { tags: [...new Set([...own, ...(tags ?? [])])] },
          });
        setTags(undefined);
        onDone();
      },
      `Tagged ${showCount(ticked.length)}.`,
    );
  return (
    <>
      {ticked.length > 0 ? (
        <div class="row tight">
          <strong>{showCount(ticked.length)} ticked</strong>
          <button type="button" class="small" onClick={() => resolve(true)}>
            Resolve
          </button>
          <button type="button" class="small" onClick={() => resolve(false)}>
            Open again
          </button>
          <button type="button" class="small" onClick={() => setTags([])}>
            <Icon name="tag" />
            Tag
          </button>
        </div>
      ) : (
        <button type="button" class="small" disabled={total === 0} onClick={() => setAsking(true)}>
          Resolve all found
        </button>
      )}
      {tags !== undefined && (
        <Dialog title={`Tag ${showCount(ticked.length)} alerts`} onClose={() => setTags(undefined)}>
          <div class="field">
            <label class="label" for="bulk-tags">
              Tags to add
            </label>
            <WordsInput id="bulk-tags" value={tags} onChange={setTags} />
          </div>
          <div class="row end">
            <button type="button" class="primary" disabled={tags.length === 0} onClick={addTags}>
              Add tags
            </button>
          </div>
        </Dialog>
      )}
      {isAsking && (
        <Confirm
          title="Resolve everything that the search finds?"
          action="Resolve all found"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            const { query, from, to } = search;
            const { count } = await client.post('/alert/resolve', {
              body: { query, timeseries: [{ from, to }], resolved: true },
            });
            toast(`${showCount(count)} resolved.`);
            onDone();
          }}
        >
          <p>
            {total >= countedTo ? `More than ${showCount(countedTo)}` : showCount(total)} alerts of the
            search, seen or not, will be marked as resolved.
          </p>
        </Confirm>
      )}
    </>
  );
}
