import { useState } from 'preact/hooks';
import { Address } from '../../parts/Address.tsx';
import { Badge } from '../../parts/Badge.tsx';
import { Message } from '../../parts/Evidence.tsx';
import { LazyDetails } from '../../parts/LazyDetails.tsx';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { showCount } from '../../state/format.ts';
import { chainOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { useGradually } from '../../state/useGradually.ts';
import { PartyName } from './PartyName.tsx';
import type { Parties, Step, StepAlert, Story } from './story.ts';

const kinds = {
  all: 'Everything',
  chain: 'On the chain',
  response: 'What was done',
} as const;
type Kind = keyof typeof kinds;

const onChain: ReadonlySet<Step['type']> = new Set([
  'FUNDING',
  'DEPLOYMENT',
  'TRANSACTION',
  'ALERT',
  'RETRACTION',
]);

/** Everything that happened, in its order: on the chain, by Vigil and by people; duplicates stand under the strongest alert. */
export function Timeline({ story, parties }: { story: Story; parties: Parties }) {
  const [kind, setKind] = useState<Kind>('all');
  const steps = story.timeline.filter(
    ({ type }) => kind === 'all' || onChain.has(type) === (kind === 'chain'),
  );
  const drawn = useGradually(steps.length, kind);
  const names = new Map(story.parties.map(({ address, name }) => [address, name.slice(0, 80)]));
  const { uid, incident, leftOut } = story;
  const query = encodeURIComponent(`incidentUid:"${uid}"`);
  return (
    <section class="card" aria-labelledby="timeline">
      <header>
        <h2 id="timeline">What happened</h2>
        <a href={href(`/alerts?range=${incident.firstAt}-${incident.lastAt + 1}&q=${query}`)}>
          All {showCount(incident.alerts)} alerts
        </a>
      </header>
      <fieldset class="row tight unprinted">
        <legend class="hide-visually">Steps that are shown</legend>
        {(Object.keys(kinds) as Kind[]).map((name) => (
          <button
            type="button"
            key={name}
            class="small"
            aria-pressed={name === kind}
            onClick={() => setKind(name)}
          >
            {kinds[name]}
          </button>
        ))}
      </fieldset>
      <ol class="timeline" key={kind}>
        {steps.slice(0, drawn).map((step, index) => {
          const isNewWave = step.wave !== (steps[index - 1]?.wave ?? 1);
          return (
            <li key={`${step.at} ${index}`} class={stepClass(step)} data-type={step.type}>
              {isNewWave && <p class="wave">Wave {step.wave}</p>}
              <span class="dim small">
                <Time at={step.at} exact />
                {step.blockNumber !== null && (
                  <span class="block-number">block {showCount(step.blockNumber)}</span>
                )}
              </span>
              <div class="step">
                <Line step={step} parties={parties} names={names} />
              </div>
            </li>
          );
        })}
      </ol>
      {(leftOut.steps > 0 || leftOut.alerts > 0) && (
        <p class="dim small">
          {leftOut.steps > 0 && `${showCount(leftOut.steps)} lesser steps are left out. `}
          {leftOut.alerts > 0 &&
            `It is made from the worst alerts, without ${showCount(leftOut.alerts)} others.`}
        </p>
      )}
    </section>
  );
}

function stepClass({ type, isLoss, state }: Step): string {
  if (isLoss) return 'loss';
  if (type === 'ACTION' && state === 'FAILED') return 'loss';
  if (type === 'ACTION' && state === 'CONFIRMED') return 'good-step';
  return onChain.has(type) ? 'chain-step' : 'own-step';
}

type LineProps = { step: Step; parties: Parties; names: ReadonlyMap<string, string> };

function Line({ step, parties, names }: LineProps) {
  const { type, from, to, text, state, reason, count, txHash, chainUid, alert } = step;
  const transaction = txHash && (
    <span class="dim">
      <Address value={txHash} chainUid={chainUid} kind="transaction" />
    </span>
  );
  switch (type) {
    case 'FUNDING':
      return (
        <p class="row tight">
          <span>
            {to && <PartyName address={to} parties={parties} />} got its first money from{' '}
            {from && <PartyName address={from} parties={parties} />}
          </span>
          {text && <span class="tag foreign">{text.slice(0, 60)}</span>}
          {transaction}
        </p>
      );
    case 'NOTIFICATION':
      return (
        <p class="row tight">
          <Badge value={state ?? ''} />
          <span>
            {count > 1 ? `${count} messages to ` : 'Message to '}
            <span class="foreign">{text?.slice(0, 120)}</span>
          </span>
          {reason && <span class="dim small foreign">{reason.slice(0, 300)}</span>}
        </p>
      );
    case 'ACTION':
      return (
        <p class="row tight">
          <Badge value={state ?? ''} />
          <span>
            Action <strong class="foreign">{text?.slice(0, 120)}</strong>
          </span>
          {transaction}
          {reason && <span class="dim small foreign">{reason.slice(0, 300)}</span>}
        </p>
      );
    case 'ACKNOWLEDGEMENT':
    case 'CHANGE':
      return (
        <p>
          <strong class="foreign">{text?.slice(0, 120)}</strong> {changeWords[state ?? ''] ?? state}
          {reason && <span class="dim foreign"> · {reason.slice(0, 500)}</span>}
        </p>
      );
    case 'COMMENT':
      return (
        <p>
          <strong class="foreign">{text?.slice(0, 120)}</strong>{' '}
          <span class="foreign keep-lines">{reason}</span>
        </p>
      );
    case 'RETRACTION':
      return (
        <p>
          {count === 1 ? 'An alert is' : `${showCount(count)} alerts are`} retracted:{' '}
          {retractionWords[state ?? ''] ?? state}.
        </p>
      );
    case 'DEPLOYMENT':
    case 'TRANSACTION':
    case 'ALERT':
      return (
        <>
          {(from || txHash) && (
            <p class="row tight small">
              {type === 'DEPLOYMENT' && <Badge tone="warn">deployed</Badge>}
              {from && (
                <span>
                  <PartyName address={from} parties={parties} />
                  {to && (
                    <>
                      <span aria-hidden="true"> → </span>
                      <PartyName address={to} parties={parties} />
                    </>
                  )}
                </span>
              )}
              {state === 'FAILED' && <Badge tone="good">the transaction failed</Badge>}
              {transaction}
              {alert && txHash && chainOf(chainUid)?.family === 'evm' && can('GET /alert/{uid}/trace') && (
                <a href={href(`/alert/${alert.uid}/trace`)}>What happened inside</a>
              )}
            </p>
          )}
          {alert && <AlertLine alert={alert} names={names} />}
          <Folded step={step} names={names} />
        </>
      );
  }
}

function AlertLine({ alert, names }: { alert: StepAlert; names: ReadonlyMap<string, string> }) {
  const { uid, severity, name, message, status, finality } = alert;
  return (
    <>
      <p class="row tight">
        <Severity value={severity} />
        <a class="foreign" href={href(`/alert/${uid}`)}>
          {name.slice(0, 200)}
        </a>
        {status !== 'UNRESOLVED' && <Badge value={status} />}
        {finality === 'PENDING' && <Badge tone="warn">pending</Badge>}
      </p>
      <p class="small foreign">
        <Message text={message} names={names} />
      </p>
    </>
  );
}

function Folded({ step: { folded, foldedMore }, names }: Pick<LineProps, 'step' | 'names'>) {
  if (folded.length === 0) return null;
  const count = folded.length + foldedMore;
  return (
    <LazyDetails
      class="small"
      summary={count === 1 ? '1 more alert about it' : `${showCount(count)} more alerts about it`}
    >
      {() => (
        <ul class="stack tight">
          {folded.map((alert) => (
            <li key={alert.uid}>
              <AlertLine alert={alert} names={names} />
            </li>
          ))}
          {foldedMore > 0 && <li class="dim">and {showCount(foldedMore)} more</li>}
        </ul>
      )}
    </LazyDetails>
  );
}

const changeWords: Record<string, string> = {
  acknowledge: 'acknowledged it',
  unacknowledge: 'took the acknowledgement back',
  update: 'changed it',
};

const retractionWords: Record<string, string> = {
  REORGANISED: 'the block left the chain',
  REPLACED: 'another transaction of the sender took its place',
  DROPPED: 'the pending transaction vanished',
  UNFULFILLED: 'a block has the transaction, and there it did not take effect',
};
