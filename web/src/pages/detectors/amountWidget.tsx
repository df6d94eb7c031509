import { useEffect, useState } from 'preact/hooks';
import { SuggestInput, type SuggestProps } from '../../parts/SuggestInput.tsx';
import type { WidgetProps, Widgets } from '../../parts/schemaTypes.ts';
import { client } from '../../state/api.ts';
import { can } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';
import { previewAmount } from './previewAmount.ts';

const pauseMs = 500;

/** A share or an amount, with what it is of the contract's holdings: 10 % of 500,000 DUSD = 50,000 DUSD. */
export function amountWidgets(contractId: number | undefined): Widgets {
  const widget = (options: SuggestProps['options']) => (props: WidgetProps) => (
    <AmountInput {...props} contractId={contractId} options={options} />
  );
  return {
    'format:amountOrPercent': widget(['1%', '5%', '10%', '20%', '50%', '1000']),
    'format:amount': widget([]),
  };
}

type Props = WidgetProps & { contractId: number | undefined; options: SuggestProps['options'] };

function AmountInput({ contractId, options, ...props }: Props) {
  const { value, schema, siblings, name } = props;
  const amount = String(value ?? schema.default ?? '');
  const asset = assetOf(name, siblings);
  const [settled, setSettled] = useState(asset);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(asset), pauseMs);
    return () => clearTimeout(timer);
  }, [asset]);
  const canAsk = contractId !== undefined && settled !== undefined && can('GET /contract/{id}/holdings');
  const { data } = useLoad(
    canAsk ? `holding ${contractId} ${settled}` : null,
    (signal) =>
      client.get('/contract/{id}/holdings', {
        path: { id: contractId! },
        query: { token: settled!, from: Date.now() - 1, to: Date.now() },
        signal,
      }),
    { later: true },
  );
  const preview = data?.now && settled === asset ? previewAmount(amount, data.now) : undefined;
  return (
    <>
      <SuggestInput {...props} options={options} isMono />
      {preview && (
        <span class="hint preview foreign" role="status">
          {preview}
        </span>
      )}
    </>
  );
}

/** The asset that an amount is about: the token beside it, or the coin where its name says so. */
function assetOf(name: string, siblings: Readonly<Record<string, unknown>>): string | undefined {
  if (name.startsWith('native')) return siblings.native === false ? undefined : 'native';
  const { token } = siblings;
  if (typeof token !== 'string') return undefined;
  return token === 'native' || /^0x[0-9a-fA-F]{40}$/.test(token) ? token : undefined;
}
