import { useState } from 'preact/hooks';
import type { View } from '../../../../sdk/src/index.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { WordsInput } from '../../parts/WordsInput.tsx';
import { client } from '../../state/api.ts';
import { can, mayChooseTenant, me } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import type { Viewed } from './viewed.ts';

export type ViewFormProps = {
  viewed: Viewed;
  /** The view that is open, which can be changed or deleted. */
  open: View | undefined;
  tenantId: number;
  onClose(): void;
  onDone(next: { id: number | undefined; columns: readonly string[] }): void;
};

/** Keeps the query, the time and the columns of the page under a name. */
export function ViewForm({ viewed, open, tenantId, onClose, onDone }: ViewFormProps) {
  const user = me.value;
  const isPerson = user?.userId !== null && user?.tenantId === tenantId;
  const [name, setName] = useState(open?.name ?? '');
  const [columns, setColumns] = useState(viewed.columns);
  const [shared, setShared] = useState(open?.shared ?? !isPerson);
  const [state, setState] = useState<{ isBusy?: boolean; error?: unknown }>({});
  // Managers change what others share, everyone their own.
  const mayChange = open !== undefined && (open.ownerId === user?.userId || can('PUT /user/{id}'));
  const run = async (work: () => Promise<number | undefined>, done: string) => {
    setState({ isBusy: true });
    try {
      const id = await work();
      toast(done);
      onDone({ id, columns });
    } catch (error) {
      setState({ error });
    }
  };
  const body = { name, query: viewed.query, timeRange: viewed.range, columns: [...columns], shared };
  const create = () =>
    run(async () => {
      const own = mayChooseTenant.value ? { tenantId } : {};
      return (await client.post('/view', { body: { ...own, ...body } })).id;
    }, 'Saved the view.');
  const change = (view: View) =>
    run(async () => (await client.put('/view/{id}', { path: { id: view.id }, body })).id, 'Saved the view.');
  const remove = (view: View) =>
    run(async () => {
      await client.delete('/view/{id}', { path: { id: view.id } });
      return undefined;
    }, 'Deleted the view.');
  return (
    <Dialog title={open ? 'Change the view' : 'Save the view'} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void (mayChange && open ? change(open) : create());
        }}
      >
        <Problem error={state.error} />
        <label class="field">
          <span class="label">Name</span>
          <input
            required
            value={name}
            placeholder="Open and critical"
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <div class="field">
          <label class="label" for="view-columns">
            Columns
          </label>
          <WordsInput
            id="view-columns"
            value={columns}
            onChange={setColumns}
            placeholder="severity, name, meta.amount"
          />
          <span class="hint">Members of alerts in their order; the usual ones where there are none.</span>
        </div>
        {isPerson && can('POST /alert/resolve') && (
          <label class="check">
            <input
              type="checkbox"
              checked={shared}
              onChange={({ currentTarget }) => setShared(currentTarget.checked)}
            />
            Everyone in the tenant sees it
          </label>
        )}
        <div class="row end">
          {mayChange && open && (
            <>
              <button type="button" class="danger" disabled={state.isBusy} onClick={() => remove(open)}>
                Delete view
              </button>
              <button type="button" disabled={state.isBusy} onClick={create}>
                Save as another
              </button>
            </>
          )}
          <button type="submit" class="primary" disabled={state.isBusy}>
            Save view
          </button>
        </div>
      </form>
    </Dialog>
  );
}
