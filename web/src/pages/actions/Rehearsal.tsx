import { useState } from 'preact/hooks';
import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Address } from '../../parts/Address.tsx';
import { Amount } from '../../parts/Amount.tsx';
import { Badge } from '../../parts/Badge.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import type { chainOf } from '../../state/names.ts';

type Rehearsed = ReplyOf<'POST', '/action/{id}/rehearse'>;
type Chain = ReturnType<typeof chainOf>;

/** What the action would do now to the last alerts that reach it; nothing is signed. */
export function Rehearsal({ id, chain }: { id: number; chain: Chain }) {
  const [rehearsed, setRehearsed] = useState<Rehearsed>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const rehearse = async () => {
    setBusy(true);
    setError(undefined);
    try {
      setRehearsed(await client.post('/action/{id}/rehearse', { path: { id }, body: {} }));
    } catch (reason) {
      setError(reason);
    }
    setBusy(false);
  };
  return (
    <section class="stack">
      <div class="row apart">
        <h3>Rehearse</h3>
        <button type="button" disabled={isBusy} onClick={rehearse}>
          Rehearse on the last alerts
        </button>
      </div>
      <Problem error={error} />
      {rehearsed && (
        <div class="stack" role="status">
          <p class="dim">
            {rehearsed.data.length === 0
              ? `None of the last ${rehearsed.alerts} alerts that reach this action would fire it.`
              : `Of the last ${rehearsed.alerts} alerts that reach this action ${rehearsed.skipped} do not pass its filters. Nothing was signed or sent.`}
          </p>
          {rehearsed.data.map((one, place) => (
            <Case key={place} one={one} chain={chain} />
          ))}
        </div>
      )}
    </section>
  );
}

function Case({ one, chain }: { one: Rehearsed['data'][number]; chain: Chain }) {
  const { alert, success, reason, changes } = one;
  const { decimals = 18, symbol = '' } = chain?.currency ?? {};
  return (
    <div class="notice stack">
      <p class="row">
        {alert && <Severity value={alert.severity} />}
        <strong class="foreign">{alert ? alert.name : 'Without an alert'}</strong>
        {alert && <Time at={alert.timestamp} />}
        <Badge tone={success ? 'good' : 'bad'}>{success ? 'would succeed' : 'would fail'}</Badge>
        {reason && <span class="foreign">{reason}</span>}
      </p>
      {changes?.map(({ address, asset, tokenId, amount }) => (
        <p class="small row" key={`${address} ${asset} ${tokenId}`}>
          <Address value={address} chainUid={chain?.chainUid} />
          {asset === 'native' ? (
            <Amount value={amount} decimals={decimals} symbol={symbol} />
          ) : (
            <>
              <span class="foreign">{amount}</span> <Address value={asset} chainUid={chain?.chainUid} />
            </>
          )}
        </p>
      ))}
    </div>
  );
}
