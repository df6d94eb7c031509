import { useState } from 'preact/hooks';
import { Confirm, Dialog } from '../../parts/Dialog.tsx';
import { client } from '../../state/api.ts';
import { attempt, toast } from '../../state/toasts.ts';
import { ChainForm, type ChainRecord } from './ChainForm.tsx';

type OwnChainProps = { chainUid: string; name: string; onChange(): void; onDelete(): void };

/** What an administrator can do with a chain that was added. */
export function OwnChain({ chainUid: uid, name, onChange, onDelete }: OwnChainProps) {
  const [editing, setEditing] = useState<ChainRecord>();
  const [isDeleting, setDeleting] = useState(false);
  const done = () => {
    setEditing(undefined);
    onChange();
  };
  return (
    <p class="row">
      <button
        type="button"
        onClick={() => attempt(async () => setEditing(await client.get('/chain/{uid}', { path: { uid } })))}
      >
        Change the chain
      </button>
      <button type="button" class="danger" onClick={() => setDeleting(true)}>
        Delete the chain
      </button>
      {editing && (
        <Dialog title={`Change ${editing.name}`} onClose={() => setEditing(undefined)}>
          {editing.isFixed ? (
            <p>It is named by VIGIL_CHAINS: change the setting and restart Vigil.</p>
          ) : (
            <ChainForm chain={editing} onDone={done} onCancel={() => setEditing(undefined)} />
          )}
        </Dialog>
      )}
      {isDeleting && (
        <Confirm
          title="Delete this chain?"
          action="Delete chain"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await client.delete('/chain/{uid}', { path: { uid } });
            toast('Deleted the chain.');
            onDelete();
          }}
        >
          <p class="foreign">
            {name} and its endpoints are gone then. Alerts of it stay. It cannot be deleted while contracts or
            wallets are on it.
          </p>
        </Confirm>
      )}
    </p>
  );
}
