import { useEffect, useState } from 'preact/hooks';
import type { PageProps } from '../../pageProps.ts';
import { Address } from '../../parts/Address.tsx';
import { Amount } from '../../parts/Amount.tsx';
import { Badge, Tags } from '../../parts/Badge.tsx';
import { Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { client } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { chainOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { useLoad } from '../../state/useLoad.ts';
import { CallTree } from './CallTree.tsx';
import type { Party, Trace } from './trace.ts';
import './trace.css';

/** Frames that are read at a time: a tree of more is not read at night, and the page stays quick. */
const pageSize = 1000;

/** What happened inside the transaction of an alert: who gained and lost first, then the calls. */
export default function TracePage({ params }: PageProps) {
  const uid = params.uid ?? '';
  const [from, setFrom] = useState(0);
  const { data, error, isLoading, reload } = useLoad(`${uid} ${from}`, (signal) =>
    client.get('/alert/{uid}/trace', { path: { uid }, query: { from, size: pageSize }, signal }),
  );
  useEffect(() => {
    document.title = 'Call tree – Vigil';
  }, []);
  return (
    <div class="page trace-page">
      <header class="row apart">
        <h1>What happened inside</h1>
        <a href={href(`/alert/${uid}`)}>Back to the alert</a>
      </header>
      <Problem error={error} retry={reload} />
      {isLoading && <Loading />}
      {data && !isLoading && error === undefined && (
        <>
          <Summary trace={data} />
          <Changes trace={data} />
          <section class="card" aria-labelledby="calls">
            <header>
              <h2 id="calls">
                Calls <span class="dim small">{showCount(data.total)}</span>
              </h2>
            </header>
            <CallTree key={from} trace={data} parties={partiesOf(data)} />
            <Pages trace={data} from={from} onChange={setFrom} />
          </section>
        </>
      )}
    </div>
  );
}

const partiesOf = ({ parties }: Trace): ReadonlyMap<string, Party> =>
  new Map(parties.map((party) => [party.address, party]));

function Summary({ trace }: { trace: Trace }) {
  const { chainUid, txHash, blockNumber, from, isReverted, reverted, depth } = trace;
  return (
    <p class="row">
      {isReverted ? <Badge tone="bad">the transaction failed</Badge> : <Badge tone="good">carried out</Badge>}
      {reverted > 0 && !isReverted && (
        <Badge tone="warn">
          {reverted === 1 ? '1 frame reverted' : `${showCount(reverted)} frames reverted`}
        </Badge>
      )}
      <span>
        <Address value={txHash} chainUid={chainUid} kind="transaction" />, block{' '}
        <Address value={String(blockNumber)} chainUid={chainUid} kind="block" /> of{' '}
        {chainOf(chainUid)?.name ?? chainUid}
      </span>
      <span>
        sent by <PartyName address={from} chainUid={chainUid} party={partiesOf(trace).get(from)} />
      </span>
      <span class="dim">{depth === 0 ? 'no inner calls' : `${showCount(depth)} calls deep`}</span>
    </p>
  );
}

function Changes({ trace }: { trace: Trace }) {
  const { changes, chainUid, leftOut } = trace;
  const parties = partiesOf(trace);
  return (
    <section class="card" aria-labelledby="changes">
      <header>
        <h2 id="changes">Who gained and who lost</h2>
      </header>
      {changes.length === 0 ? (
        <p class="dim">No coins or tokens moved, or what moved came back.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
        <div class="scroll-x" tabIndex={0} role="region" aria-label="Net balance changes">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Party</th>
                <th scope="col" class="number">
                  Change
                </th>
                <th scope="col">Asset</th>
              </tr>
            </thead>
            <tbody>
              {changes.map(({ address, asset, symbol, tokenId, amount }) => (
                <tr key={`${address} ${asset} ${tokenId}`}>
                  <td>
                    <PartyName address={address} chainUid={chainUid} party={parties.get(address)} />
                  </td>
                  <td class={`number ${amount.startsWith('-') ? 'bad' : 'good'}`}>
                    {amount.startsWith('-') ? '' : '+'}
                    <Amount value={amount} />
                  </td>
                  <td>
                    <span class="foreign">{symbol ?? ''}</span>
                    {tokenId !== null && <span class="dim foreign"> #{tokenId.slice(0, 24)}</span>}{' '}
                    {asset !== 'native' && <Address value={asset} chainUid={chainUid} />}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="dim small">
        Net of the whole transaction, without fees; tokens as they report it.
        {leftOut.changes > 0 && ` ${showCount(leftOut.changes)} more changes are left out.`}
      </p>
    </section>
  );
}

/** A party by its name, with the tags that make it suspicious; a contract of one's own is a link. */
export function PartyName({
  address,
  chainUid,
  party,
}: {
  address: string;
  chainUid: string;
  party: Party | undefined;
}) {
  if (party?.contractId)
    return (
      <a class="foreign" href={href(`/contracts/${party.contractId}`)} title={address}>
        {party.name}
      </a>
    );
  return (
    <span class="party">
      <Address value={address} chainUid={chainUid} name={party?.name} />
      {party && party.tags.length > 0 && <Tags tags={party.tags.slice(0, 4)} />}
    </span>
  );
}

function Pages({ trace, from, onChange }: { trace: Trace; from: number; onChange(from: number): void }) {
  const { leftOut, frames } = trace;
  if (leftOut.before === 0 && leftOut.after === 0) return null;
  return (
    <p class="row" role="status">
      <span>
        Frames {showCount(from + 1)} to {showCount(from + frames.length)} of {showCount(trace.total)}; the
        others are left out here.
      </span>
      {leftOut.before > 0 && (
        <button type="button" onClick={() => onChange(Math.max(0, from - pageSize))}>
          Earlier frames
        </button>
      )}
      {leftOut.after > 0 && (
        <button type="button" onClick={() => onChange(from + pageSize)}>
          Later frames
        </button>
      )}
    </p>
  );
}
