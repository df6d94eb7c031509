import { useRef, useState } from 'preact/hooks';
import type { Contract } from '../../../../sdk/src/index.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { FormFaults } from '../../parts/FormFaults.tsx';
import { client } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { can } from '../../state/session.ts';
import { toast, toastHeld } from '../../state/toasts.ts';
import { useUnsaved } from '../../state/unsaved.ts';
import { useLoad } from '../../state/useLoad.ts';
import { parseAbi } from './parseAbi.ts';

/** How much is known of the functions and events of a contract, which menus of detectors, triggers and actions offer. */
export function AbiCard({ contract, reload }: { contract: Contract; reload(): void }) {
  const { id, updatedAt } = contract;
  const [isOpen, setOpen] = useState(false);
  const { data } = useLoad(`abi ${id} ${updatedAt}`, (signal) =>
    client.get('/contract/{id}/signature', { path: { id }, signal }),
  );
  if (!data) return null;
  const [functions, events] = [data.functions.length, data.events.length];
  const isKnown = functions + events > 0;
  return (
    <section class="card" aria-labelledby="abi">
      <header>
        <h2 id="abi">Functions and events</h2>
        {can('PUT /contract/{id}') && (
          <button type="button" onClick={() => setOpen(true)}>
            {isKnown ? 'Paste another ABI' : 'Paste the ABI'}
          </button>
        )}
      </header>
      {isKnown ? (
        <details>
          <summary>
            {showCount(functions)} functions and {showCount(events)} events are known
          </summary>
          <ul class="mono small foreign">
            {[...data.events, ...data.functions].map((signature) => (
              <li key={signature}>{signature}</li>
            ))}
          </ul>
        </details>
      ) : (
        <p class="dim">
          No ABI is known, so that nothing can be offered. Paste it, or write signatures with the names of
          their parameters, such as Deposit(address user, uint256 amount).
        </p>
      )}
      {isOpen && (
        <PasteAbi
          id={id}
          onClose={() => setOpen(false)}
          onDone={() => {
            setOpen(false);
            reload();
          }}
        />
      )}
    </section>
  );
}

function PasteAbi({ id, onDone, onClose }: { id: number; onDone(): void; onClose(): void }) {
  const form = useRef<HTMLFormElement>(null);
  const [text, setText] = useState('');
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown; round: number }>({
    isBusy: false,
    round: 0,
  });
  const settle = useUnsaved(form, text !== '');
  const save = async (event: Event) => {
    event.preventDefault();
    setState({ ...state, isBusy: true });
    try {
      await client.put('/contract/{id}', { path: { id }, body: { abi: parseAbi(text) } });
      toast('Saved the ABI.');
      settle();
      onDone();
    } catch (error) {
      if (toastHeld(error)) {
        settle();
        return onClose();
      }
      setState({ isBusy: false, error, round: state.round + 1 });
    }
  };
  return (
    <Dialog title="Paste the ABI" kind="wide" onClose={onClose}>
      <form class="stack" ref={form} onSubmit={save} noValidate>
        <label class="field">
          <span class="label">ABI</span>
          <textarea
            class="mono"
            rows={12}
            spellcheck={false}
            placeholder="JSON: the list, or the output of a compiler with it inside"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <FormFaults form={form} error={state.error} round={state.round} />
        <div class="row end">
          <button type="submit" class="primary" disabled={state.isBusy || text.trim() === ''}>
            Save the ABI
          </button>
        </div>
      </form>
    </Dialog>
  );
}
