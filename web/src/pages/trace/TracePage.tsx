import { useEffect, useMemo, useState } from 'preact/hooks';
import type { PageProps } from '../../pageProps.ts';
import { Address } from '../../parts/Address.tsx';
import { Amount } from '../../parts/Amount.tsx';
import { Badge, Tags } from '../../parts/Badge.tsx';
import { Loading } from '../../parts/Empty.tsx';
import { addressesIn, Message } from '../../parts/Evidence.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { useAddressNames } from '../../state/addressNames.ts';
import { client } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
import { chainOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { useLoad } from '../../state/useLoad.ts';
import { EvidenceByKind } from '../alerts/EvidenceByKind.tsx';
import { CallTree } from './CallTree.tsx';
import type { Party, Trace } from './trace.ts';
import './trace.css';

/** The first frames are shown at once, the others are read behind them. */
const firstPage = 250;
const nextPage = 5000;
/** A tree of more is read in the API. */
const maxFrames = 20_000;

/** What happened inside the transaction of an alert: who gained and lost first, then the calls. */
export default function TracePage({ params }: PageProps) {
  const uid = params.uid ?? '';
  const { data, error, isLoading, reload } = useLoad(uid, (signal) =>
    client.get('/alert/{uid}/trace', { path: { uid }, query: { from: 0, size: firstPage }, signal }),
  );
  const rest = useRest(uid, isLoading ? undefined : data);
  const frames = useMemo(
    () => (data ? [...data.frames, ...rest.flatMap((page) => page.frames)] : []),
    [data, rest],
  );
  const parties = useMemo(() => partiesOf(data ? [data, ...rest] : []), [data, rest]);
  useEffect(() => {
    document.title = 'Call tree – Vigil';
  }, []);
  return (
    <div class="page trace-page">
      <header class="row apart">
        <h1>What happened inside</h1>
        <a href={href(`/alert/${uid}`)}>Back to the alert</a>
      </header>
      <Prevented uid={uid} />
      <Problem error={error} retry={reload} />
      {isLoading && <Loading />}
      {data && !isLoading && error === undefined && (
        <>
          <Summary trace={data} parties={parties} />
          <Changes trace={data} parties={parties} />
          <section class="card" aria-labelledby="calls">
            <header>
              <h2 id="calls">
                Calls <span class="dim small">{showCount(data.total)}</span>
              </h2>
            </header>
            <CallTree key={uid} trace={data} frames={frames} parties={parties} />
            {frames.length < data.total && (
              <p class="dim small" role="status">
                {frames.length >= maxFrames
                  ? `The first ${showCount(frames.length)} of ${showCount(data.total)} frames; the API reads the others.`
                  : `${showCount(frames.length)} of ${showCount(data.total)} frames are read so far.`}
              </p>
            )}
          </section>
        </>
      )}
    </div>
  );
}

/** The pages behind the first, as they come. */
function useRest(uid: string, first: Trace | undefined): readonly Trace[] {
  const [pages, setPages] = useState<readonly Trace[]>([]);
  useEffect(() => {
    setPages([]);
    if (!first) return;
    const controller = new AbortController();
    void readRest(uid, first, controller.signal, (page) => setPages((before) => [...before, page]));
    return () => controller.abort();
  }, [uid, first]);
  return pages;
}

async function readRest(
  uid: string,
  first: Trace,
  signal: AbortSignal,
  onPage: (page: Trace) => void,
): Promise<void> {
  try {
    for (let from = first.frames.length; from < Math.min(first.total, maxFrames); ) {
      const query = { from, size: Math.min(nextPage, maxFrames - from) };
      const page = await client.get('/alert/{uid}/trace', { path: { uid }, query, signal });
      // Another transaction, or nothing new: what is there stays.
      if (signal.aborted || page.frames[0]?.position !== from) return;
      onPage(page);
      from += page.frames.length;
    }
  } catch {
    // What was read is shown, with how much that is.
  }
}

/** Of an attack that took no effect the trace shows a failure; the alert knows what it would have done. */
function Prevented({ uid }: { uid: string }) {
  const { data: alert } = useLoad(uid, (signal) => client.get('/alert/{uid}', { path: { uid }, signal }), {
    later: true,
  });
  const isUndone =
    alert?.meta.unfulfilled === true ||
    (alert?.status === 'RETRACTED' && alert.retractionReason !== 'REORGANISED');
  const names = useAddressNames(
    addressesIn(isUndone ? { message: alert.message.match(/0x[0-9a-fA-F]{40}/g), meta: alert.meta } : {}),
  );
  if (!alert || !isUndone) return null;
  return (
    <section class="card stack prevented" aria-labelledby="prevented">
      <header>
        <h2 id="prevented">What the simulation saw before the block</h2>
        <Badge tone="good">it did not take effect</Badge>
      </header>
      <p class="foreign">
        <Message text={alert.message} names={names} />
      </p>
      <EvidenceByKind alert={alert} names={names} />
      <p class="dim small">Below is what the transaction really did.</p>
    </section>
  );
}

const partiesOf = (pages: readonly Trace[]): ReadonlyMap<string, Party> =>
  new Map(pages.flatMap(({ parties }) => parties.map((party) => [party.address, party])));

type Shown = { trace: Trace; parties: ReadonlyMap<string, Party> };

function Summary({ trace, parties }: Shown) {
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
        sent by <PartyName address={from} chainUid={chainUid} party={parties.get(from)} />
      </span>
      <span class="dim">
        {depth === 0 ? 'no inner calls' : depth === 1 ? '1 call deep' : `${showCount(depth)} calls deep`}
      </span>
    </p>
  );
}

function Changes({ trace, parties }: Shown) {
  const { changes, chainUid, leftOut } = trace;
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
