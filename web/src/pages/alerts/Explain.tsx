import { useState } from 'preact/hooks';
import { Badge } from '../../parts/Badge.tsx';
import { Loading } from '../../parts/Empty.tsx';
import { Evidence } from '../../parts/Evidence.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { client } from '../../state/api.ts';
import { useLoad } from '../../state/useLoad.ts';

/** What a detector makes of a transaction, step by step; asked for only when it is opened. */
export function Explain({
  detectorId,
  txHash,
  chainUid,
}: {
  detectorId: number;
  txHash: string;
  chainUid: string | null;
}) {
  const [isOpen, setOpen] = useState(false);
  const { data, error, isLoading } = useLoad(isOpen ? `${detectorId} ${txHash}` : null, (signal) =>
    client.post('/detector/{id}/explain', { path: { id: detectorId }, body: { txHash }, signal }),
  );
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Explain, step by step</summary>
      <div class="stack">
        <Problem error={error} />
        {isOpen && isLoading && <Loading lines={3} />}
        {data && (
          <>
            <p>
              <Badge tone={data.verdict === 'FAULT' ? 'bad' : 'accent'}>
                {data.verdict.replace('_', ' ')}
              </Badge>
            </p>
            <ol class="list">
              {data.steps.map(({ step, text, details }, index) => (
                <li key={index}>
                  <strong>{step}</strong> <span class="foreign">{text}</span>
                  {details && Object.keys(details).length > 0 && (
                    <div class="nested">
                      <Evidence value={details} chainUid={chainUid} />
                    </div>
                  )}
                </li>
              ))}
            </ol>
          </>
        )}
      </div>
    </details>
  );
}
