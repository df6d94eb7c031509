import type { ReplyOf } from '../../../sdk/src/index.ts';
import { client, searchRecords } from '../state/api.ts';
import { tenantId } from '../state/session.ts';
import { useLoad } from '../state/useLoad.ts';
import { CodeEditor } from './CodeEditor.tsx';
import { RepeatInput } from './RepeatInput.tsx';
import { SuggestInput } from './SuggestInput.tsx';
import type { WidgetProps, Widgets } from './schemaTypes.ts';

type Signatures = ReplyOf<'GET', '/contract/{id}/signature'>;

const durations = ['0', '1 min', '10 min', '1 h', '6 h', '1 d', '7 d'];
const schedules = ['1 min', '10 min', '1 h', '1 day', '0 6 * * *', '0 6 * * MON'];
const conditions = ['> 10', '< 10', '>= 5%', '> 1000', '++100', '--100', '!= 0', '>> 1'];

/** Controls for the formats of schema members; signatures are offered from the ABI of the contract. */
export function formatWidgets(
  signatures: Signatures | undefined,
  scriptNames: readonly { name: string; detail?: string }[] = [],
): Widgets {
  return {
    'format:duration': (props) => <SuggestInput {...props} options={durations} />,
    'format:repeat': (props) => <RepeatInput {...props} />,
    'format:schedule': (props) => <SuggestInput {...props} options={schedules} />,
    'format:condition': (props) => <SuggestInput {...props} options={conditions} isMono />,
    'format:address': (props) => <AddressInput {...props} />,
    'format:asset': (props) => <AddressInput {...props} first={['native']} />,
    'format:eventSignature': (props) => <SuggestInput {...props} options={signatures?.events ?? []} isMono />,
    'format:functionSignature': (props) => (
      <SuggestInput {...props} options={signatures?.functions ?? []} isMono />
    ),
    'format:functionOrName': (props) => (
      <SuggestInput {...props} options={signatures?.functions ?? []} isMono />
    ),
    'format:script': scriptOf(scriptNames),
  };
}

/** An editor for a script that can use these names. */
export function scriptOf(names: readonly { name: string; detail?: string }[]): Widgets[string] {
  return ({ label, value, onChange }) => (
    <CodeEditor
      label={label}
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => onChange(text === '' ? undefined : text)}
      names={names}
      minLines={3}
    />
  );
}

/** Functions and events of a contract, once it is chosen. */
export function useSignatures(contractId: number | undefined): Signatures | undefined {
  return useLoad(contractId === undefined ? null : `signatures ${contractId}`, (signal) =>
    client.get('/contract/{id}/signature', { path: { id: contractId! }, signal }),
  ).data;
}

type Known = { address: string; name: string | null };

/** Addresses are offered by the names of contracts and labels, and the name of the chosen one is shown. */
function AddressInput({ first = [], ...props }: WidgetProps & { first?: readonly string[] }) {
  const { data } = useLoad(`addresses ${tenantId.value ?? ''}`, async (signal) => {
    const lists = await Promise.all(
      ['/contract', '/label'].map((path) => searchRecords<Known>(path, { size: 200 }, signal)),
    );
    return lists.flatMap(({ data }) => data).filter(({ name }) => name);
  });
  const known = data ?? [];
  const name =
    typeof props.value === 'string'
      ? known.find(({ address }) => address.toLowerCase() === String(props.value).toLowerCase())?.name
      : undefined;
  const options = [...first, ...known.map(({ address, name }) => ({ value: address, text: name ?? '' }))];
  return (
    <>
      <SuggestInput {...props} options={options} isMono />
      {name && <span class="hint foreign">{name}</span>}
    </>
  );
}
