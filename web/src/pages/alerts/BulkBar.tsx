import { useState } from 'preact/hooks';
import type { Alert } from '../../../../sdk/src/index.ts';
import { Icon } from '../../parts/Icon.tsx';
import { client } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { can } from '../../state/session.ts';
import { attempt, toast } from '../../state/toasts.ts';
import { ResolveFound } from './ResolveFound.tsx';
import { type Selection, TagAlerts } from './TagAlerts.tsx';
import type { AlertSearch } from './useAlertPages.ts';

export type BulkBarProps = {
  /** While what is shown is not what the query finds. */
  isOff: boolean;
  rows: readonly Alert[];
  selected: ReadonlySet<string | number>;
  total: number;
  search: AlertSearch;
  onDone(): void;
};

const uidsAtOnce = 200;

/** What can be done with the ticked alerts, or with everything that the search finds. */
export function BulkBar({ isOff, rows, selected, total, search, onDone }: BulkBarProps) {
  const [open, setOpen] = useState<'resolve' | 'tag'>();
  if (!can('POST /alert/resolve')) return null;
  const { query, from, to } = search;
  const ticked = rows.filter(({ uid }) => selected.has(uid)).map(({ uid }) => uid);
  const found: Selection = { query, timeseries: [{ from, to }] };
  const selections = ticked.length > 0 ? toSelections(ticked) : [found];
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    toast(text);
    close();
    onDone();
  };
  const resolve = (resolved: boolean) =>
    attempt(async () => {
      let count = 0;
      for (const selection of selections)
        count += (await client.post('/alert/resolve', { body: { ...selection, resolved } })).count;
      done(`${showCount(count)} ${resolved ? 'resolved' : 'open again'}.`);
    });
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
          <button type="button" class="small" onClick={() => setOpen('tag')}>
            <Icon name="tag" />
            Tag
          </button>
        </div>
      ) : (
        <div class="row tight">
          <button
            type="button"
            class="small"
            disabled={isOff || total === 0}
            onClick={() => setOpen('resolve')}
          >
            Resolve all found
          </button>
          <button type="button" class="small" disabled={isOff || total === 0} onClick={() => setOpen('tag')}>
            <Icon name="tag" />
            Tag all found
          </button>
        </div>
      )}
      {open === 'tag' && <TagAlerts selections={selections} onClose={close} onDone={done} />}
      {open === 'resolve' && <ResolveFound selection={found} onClose={close} onDone={done} />}
    </>
  );
}

function toSelections(uids: readonly string[]): Selection[] {
  return Array.from({ length: Math.ceil(uids.length / uidsAtOnce) }, (_, part) => ({
    query: `uid:(${uids
      .slice(part * uidsAtOnce, (part + 1) * uidsAtOnce)
      .map((uid) => `"${uid}"`)
      .join(' OR ')})`,
  }));
}
