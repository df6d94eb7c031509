import { useRef, useState } from 'preact/hooks';
import type { BodyOf, ReplyOf } from '../../../../sdk/src/index.ts';
import { Loading } from '../../parts/Empty.tsx';
import { FormFaults } from '../../parts/FormFaults.tsx';
import { holdsUnreadable } from '../../parts/fieldFaults.ts';
import { SchemaForm } from '../../parts/SchemaForm.tsx';
import { client, type Fault, faultsOf } from '../../state/api.ts';
import { changesOf, clearEmptied, type Fields } from '../../state/fields.ts';
import { useBodySchema } from '../../state/schemas.ts';
import { toast } from '../../state/toasts.ts';
import { leave, useUnsaved } from '../../state/unsaved.ts';

export type ChainRecord = ReplyOf<'GET', '/chain/{uid}'>;

export type ChainFormProps = {
  /** The chain that is changed; without it one is added. */
  chain?: ChainRecord;
  onDone(): void;
  onCancel(): void;
};

type State = { isBusy: boolean; error?: unknown; faults: readonly Fault[]; round: number };

const order = [
  'chainUid',
  'name',
  'family',
  'chainId',
  'genesis',
  'network',
  'currency',
  'blockTimeMs',
  'endpoints',
];
const labels = {
  chainUid: 'Name in the API',
  chainId: 'Chain id',
  genesis: 'Network',
  network: 'Kind of network',
  blockTimeMs: 'Time between blocks (ms)',
  endpoints: 'Addresses of nodes',
};
/** Most chains that are added are of the EVM, and pay in a currency of 18 decimals. */
const defaults = { family: 'evm', currency: { decimals: 18 } };

/** Adds a chain beside those that Vigil knows by itself, or changes one; what tells its network is chosen once. */
export function ChainForm({ chain, onDone, onCancel }: ChainFormProps) {
  const schema = useBodySchema(chain ? 'PUT /chain/{uid}' : 'POST /chain');
  const form = useRef<HTMLFormElement>(null);
  const base: Fields = chain ?? defaults;
  const [edits, setEdits] = useState<Fields>({});
  const [state, setState] = useState<State>({ isBusy: false, faults: [], round: 0 });
  const settle = useUnsaved(form, Object.keys(edits).length > 0);
  if (!schema) return <Loading />;
  const value = Object.fromEntries(
    Object.entries({ ...base, ...edits }).filter(([, member]) => member !== undefined && member !== null),
  );
  const isEvm = value.family === 'evm';
  const hidden = chain ? ['family', 'chainId', 'genesis'] : [isEvm ? 'genesis' : 'chainId'];

  const save = async (event: Event) => {
    event.preventDefault();
    const { round } = state;
    if (form.current && holdsUnreadable(form.current)) return setState({ ...state, round: round + 1 });
    setState({ isBusy: true, faults: [], round });
    const given = Object.entries(value).filter(([name]) => !hidden.includes(name));
    const changed = Object.keys(edits).map((name) => [name, clearEmptied(base[name], edits[name])] as const);
    try {
      if (chain) {
        const body = Object.fromEntries(changed) as BodyOf<'PUT', '/chain/{uid}'>;
        await client.put('/chain/{uid}', { path: { uid: chain.chainUid }, body });
      } else await client.post('/chain', { body: Object.fromEntries(given) as BodyOf<'POST', '/chain'> });
      toast(chain ? 'Saved the chain.' : 'Added the chain.');
      settle();
      onDone();
    } catch (error) {
      setState({ isBusy: false, error, faults: faultsOf(error), round: round + 1 });
    }
  };
  return (
    <form class="stack" ref={form} onSubmit={save} noValidate>
      <SchemaForm
        schema={schema}
        value={value}
        onChange={(next) => {
          setEdits(changesOf(base, next));
          setState({ isBusy: false, faults: [], round: state.round });
        }}
        faults={state.faults}
        hidden={hidden}
        order={order}
        labels={labels}
      />
      <FormFaults form={form} error={state.error} faults={state.faults} round={state.round} />
      <div class="row end">
        <button type="button" onClick={() => leave(onCancel, form.current)}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={state.isBusy}>
          {chain ? 'Save' : 'Add chain'}
        </button>
      </div>
    </form>
  );
}
