import { Amount } from '../../parts/Amount.tsx';
import { Time } from '../../parts/Time.tsx';
import { shorten, showCount } from '../../state/format.ts';
import { PartyName } from './PartyName.tsx';
import type { Parties, Story } from './story.ts';

/** What was lost, by whom, and whether it is stopped, at one look. */
export function Situation({ story, parties }: { story: Story; parties: Parties }) {
  const { lost, prevented, by, progress } = story;
  const isPrevented = lost.losses.length === 0 && lost.usd === null && prevented.losses.length > 0;
  const shown = isPrevented ? prevented : lost;
  const { tone, title } = states[progress.state];
  return (
    <dl class="situation">
      <div
        class={
          isPrevented
            ? progress.state === 'PENDING'
              ? 'warn'
              : 'good'
            : shown.losses.length > 0
              ? 'bad'
              : ''
        }
      >
        <dt>
          {!isPrevented
            ? 'Lost'
            : progress.state === 'PENDING'
              ? 'About to take'
              : 'Nothing lost; tried to take'}
        </dt>
        <dd>
          {shown.losses.length === 0 && shown.usd === null && 'No loss is known'}
          {shown.losses.slice(0, 3).map(({ contractId, asset, symbol, amount, percent }) => (
            <span class="loss-line" key={`${contractId} ${asset}`}>
              <Amount value={amount} symbol={symbol ?? shorten(asset)} />
              {percent !== null && percent >= 1 && <small> {showCount(Math.round(percent))} %</small>}
            </span>
          ))}
          {shown.losses.length > 3 && <small>and {shown.losses.length - 3} more assets</small>}
          {shown.usd !== null && <small>{showCount(Math.round(shown.usd))} USD</small>}
        </dd>
      </div>
      <div>
        <dt>By</dt>
        <dd>
          {by.length === 0 && 'not known'}
          {by.slice(0, 2).map(({ address }) => (
            <span class="loss-line" key={address}>
              <PartyName address={address} parties={parties} />
            </span>
          ))}
          {by.length > 2 && <small>and {by.length - 2} more</small>}
        </dd>
      </div>
      <div class={tone}>
        <dt>Now</dt>
        <dd>
          <span>{title}</span>
          {progress.stoppedBy && (
            <small>
              by <span class="foreign">{progress.stoppedBy.name.slice(0, 80)}</span>
              {progress.stoppedBy.blockNumber !== null &&
                `, block ${showCount(progress.stoppedBy.blockNumber)}`}
            </small>
          )}
          {!progress.stoppedBy && progress.lastAt !== null && (
            <small>
              last <Time at={progress.lastAt} />
            </small>
          )}
          {progress.failed.slice(0, 1).map(({ name, reason }) => (
            <small class="bad foreign" key={name}>
              {name.slice(0, 80)} failed{reason ? `: ${reason.slice(0, 160)}` : ''}
            </small>
          ))}
        </dd>
      </div>
    </dl>
  );
}

const states: Record<Story['progress']['state'], { tone: string; title: string }> = {
  PENDING: { tone: 'warn', title: 'Pending: no block has it yet' },
  ONGOING: { tone: 'bad', title: 'It may go on' },
  STOPPED: { tone: 'good', title: 'Stopped' },
  PREVENTED: { tone: 'good', title: 'Prevented' },
  QUIET: { tone: 'warn', title: 'Quiet; nothing stopped it' },
  RESOLVED: { tone: 'good', title: 'Resolved' },
  RETRACTED: { tone: '', title: 'Did not happen after all' },
};
