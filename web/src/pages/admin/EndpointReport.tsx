import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { showCount } from '../../state/format.ts';

export type Report = ReplyOf<'POST', '/chain/{uid}/endpoint/try'>;

/** What an endpoint can do, as a trial found out; what it could not find out is unknown. */
export function EndpointReport({ report }: { report: Report }) {
  const { fault, chainId, head, latencyMs, archiveDepth, isArchive, traces, pendingTransactions, logRange } =
    report;
  const rows: [string, string | null][] = [
    ['Chain id', chainId === null ? null : String(chainId)],
    ['Newest block', head === null ? null : showCount(head)],
    ['Answers in', latencyMs === null ? null : `${showCount(latencyMs)} ms`],
    [
      'Knows old states',
      isArchive ? 'of every block' : archiveDepth === null ? null : `${showCount(archiveDepth)} blocks back`,
    ],
    ['Traces', traces === null ? null : traces.length === 0 ? 'none' : traces.join(', ')],
    ['Pending transactions', pendingTransactions === null ? null : pendingTransactions ? 'yes' : 'no'],
    ['Logs', logRange === null ? null : `${showCount(logRange)} blocks at once`],
  ];
  return (
    <div class={`notice stack ${fault === null ? '' : 'bad'}`} role="status">
      <p class="row">
        <Badge tone={fault === null ? 'good' : 'bad'}>
          {fault === null ? 'can be used' : 'cannot be used'}
        </Badge>
        {fault !== null && <span class="foreign">{fault}</span>}
      </p>
      {chainId !== null && (
        <dl class="facts small">
          {rows.map(([title, text]) => (
            <>
              <dt key={title}>{title}</dt>
              <dd>{text ?? <span class="dim">unknown</span>}</dd>
            </>
          ))}
        </dl>
      )}
    </div>
  );
}
