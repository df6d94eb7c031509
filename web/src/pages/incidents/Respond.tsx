import { useState } from 'preact/hooks';
import { Confirm } from '../../parts/Dialog.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { client } from '../../state/api.ts';
import { saveFile } from '../../state/saveFile.ts';
import { can } from '../../state/session.ts';
import { attempt, toast } from '../../state/toasts.ts';
import type { Story } from './story.ts';

/** What a person on call does first: run what is prepared, hand the page over, write a report. */
export function Respond({ story, reload }: { story: Story; reload(): void }) {
  const { uid, actions } = story;
  const [running, setRunning] = useState<Story['actions'][number]>();
  const share = () => attempt(() => navigator.clipboard.writeText(location.href), 'Copied the link.');
  const download = () =>
    attempt(async () => {
      const { name, markdown } = await client.get('/incident/{uid}/report', { path: { uid } });
      saveFile(new Blob([markdown], { type: 'text/markdown' }), name);
    });
  return (
    <>
      {can('POST /action/{id}/execute') &&
        actions.slice(0, 3).map((action) => (
          <button type="button" key={action.id} class="danger" onClick={() => setRunning(action)}>
            <Icon name="actions" />
            <span class="cut foreign">{action.name.slice(0, 60)}</span>
          </button>
        ))}
      <button type="button" onClick={share}>
        <Icon name="copy" />
        Copy the link
      </button>
      <button type="button" onClick={download}>
        <Icon name="download" />
        Report
      </button>
      <button type="button" onClick={() => print()}>
        Print
      </button>
      {running && (
        <Confirm
          title={`Run “${running.name.slice(0, 100)}” now?`}
          action="Sign and send"
          onClose={() => setRunning(undefined)}
          onConfirm={async () => {
            await client.post('/action/{id}/execute', { path: { id: running.id }, body: {} });
            toast('The call is under way.');
            reload();
          }}
        >
          <p class="foreign">
            The wallet signs <code>{running.funcSignature}</code> with the values of the action and sends it.
            This cannot be undone.
          </p>
        </Confirm>
      )}
    </>
  );
}
