import { useRef, useState } from 'preact/hooks';
import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { FormFaults } from '../../parts/FormFaults.tsx';
import { client, faultsOf } from '../../state/api.ts';
import { chains } from '../../state/names.ts';
import { toast } from '../../state/toasts.ts';
import { leave, useUnsaved } from '../../state/unsaved.ts';
import { EndpointReport, type Report } from './EndpointReport.tsx';

export type EndpointRow = ReplyOf<'GET', '/chain/{uid}/endpoint'>['data'][number];

export type EndpointFormProps = {
  /** Chosen in the form where it is left out. */
  chainUid?: string | undefined;
  /** The endpoint that is changed; without it one is added. */
  endpoint?: EndpointRow | undefined;
  onDone(): void;
  onCancel(): void;
};

type State = { isBusy?: boolean; error?: unknown; report?: Report; round: number };

/** Adds an endpoint to a chain or changes one; tells first what the endpoint can do. */
export function EndpointForm({ chainUid, endpoint, onDone, onCancel }: EndpointFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const start = {
    uid: chainUid ?? '',
    url: endpoint?.url ?? '',
    name: endpoint?.name ?? '',
    isActive: endpoint?.status !== 'DISABLED',
  };
  const [draft, setDraft] = useState(start);
  const [state, setState] = useState<State>({ round: 0 });
  const settle = useUnsaved(form, draft.url !== start.url || draft.name !== start.name);
  const change = (part: Partial<typeof draft>) => {
    setDraft({ ...draft, ...part });
    setState({ round: state.round });
  };
  const { uid, isActive } = draft;
  const url = draft.url.trim();
  const name = draft.name.trim() || null;
  const run = async (work: () => Promise<{ report?: Report }>) => {
    const { round } = state;
    setState({ round, isBusy: true });
    try {
      setState({ round, ...(await work()) });
    } catch (error) {
      setState({ round: round + 1, error });
    }
  };
  const tryIt = () =>
    run(async () => ({
      report:
        endpoint && url === endpoint.url
          ? await client.post('/chain/{uid}/endpoint/{endpointUid}/try', {
              path: { uid, endpointUid: endpoint.uid },
            })
          : await client.post('/chain/{uid}/endpoint/try', { path: { uid }, body: { url } }),
    }));
  const save = (event: Event) => {
    event.preventDefault();
    return run(async () => {
      const body = { url, name, status: isActive ? ('ACTIVE' as const) : ('DISABLED' as const) };
      if (endpoint)
        await client.put('/chain/{uid}/endpoint/{endpointUid}', {
          path: { uid, endpointUid: endpoint.uid },
          body,
        });
      else await client.post('/chain/{uid}/endpoint', { path: { uid }, body });
      toast(endpoint ? 'Saved the endpoint.' : 'Added the endpoint.');
      settle();
      onDone();
      return {};
    });
  };
  const fault = faultsOf(state.error).find(({ pointer }) => pointer === '/url')?.message;
  return (
    <form class="stack" ref={form} onSubmit={save}>
      {chainUid === undefined && (
        <label class="field">
          <span class="label">Chain</span>
          <select required value={uid} onChange={({ currentTarget }) => change({ uid: currentTarget.value })}>
            <option value="">Choose …</option>
            {chains.value
              .filter(({ canFollow }) => canFollow)
              .map((chain) => (
                <option key={chain.chainUid} value={chain.chainUid}>
                  {chain.name}
                </option>
              ))}
          </select>
        </label>
      )}
      <label class="field" data-pointer="/url">
        <span class="label">Address</span>
        <input
          class="mono"
          required
          autocomplete="off"
          spellcheck={false}
          placeholder="https://node.example.com/v2/key"
          aria-invalid={fault !== undefined}
          value={draft.url}
          onInput={({ currentTarget }) => change({ url: currentTarget.value })}
        />
        {fault && <span class="fault foreign">{fault}</span>}
        <span class="hint">Of a JSON-RPC server: http, https, ws or wss. It is kept sealed.</span>
      </label>
      <label class="field">
        <span class="label">Name</span>
        <input
          placeholder="Own node"
          value={draft.name}
          onInput={({ currentTarget }) => change({ name: currentTarget.value })}
        />
      </label>
      {endpoint && (
        <label class="check">
          <input
            type="checkbox"
            checked={isActive}
            onChange={({ currentTarget }) => change({ isActive: currentTarget.checked })}
          />
          Use it
        </label>
      )}
      {state.report && <EndpointReport report={state.report} />}
      <FormFaults form={form} error={state.error} round={state.round} />
      <div class="row end">
        <button type="button" onClick={() => leave(onCancel, form.current)}>
          Cancel
        </button>
        <button type="button" disabled={state.isBusy || uid === '' || url === ''} onClick={tryIt}>
          Try it
        </button>
        <button type="submit" class="primary" disabled={state.isBusy}>
          {endpoint ? 'Save' : 'Add endpoint'}
        </button>
      </div>
    </form>
  );
}
