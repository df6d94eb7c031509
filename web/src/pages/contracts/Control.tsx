import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Address } from '../../parts/Address.tsx';
import { addressesIn, isAddress } from '../../parts/Evidence.tsx';
import { Time } from '../../parts/Time.tsx';
import { useAddressNames } from '../../state/addressNames.ts';
import { showDuration } from '../../state/format.ts';
import { href } from '../../state/route.ts';

export type Facts = ReplyOf<'GET', '/contract/{id}/facts'>;
type Fact = Facts['data'][number];

const titles: Record<Fact['name'], string> = {
  implementation: 'Proxy of',
  owner: 'Owner',
  paused: 'Paused',
  owners: 'Signers',
  threshold: 'Signatures needed',
  minDelay: 'Delay',
  role: 'Role',
};

type ControlProps = { facts: Facts; chainUid: string; contractId: number };

/** Who controls the contract and how it stands, each with since when; rows of a list of facts. */
export function Control({ facts, chainUid, contractId }: ControlProps) {
  const names = useAddressNames(addressesIn(facts.data.map(({ value }) => value.split(/[ ,:]+/))));
  return (
    <>
      {facts.data.map((fact, index) => (
        <>
          <dt key={index}>{titles[fact.name]}</dt>
          <dd>
            <span class={fact.name === 'paused' && fact.value === 'true' ? 'bad' : ''}>
              <Value fact={fact} chainUid={chainUid} names={names} />
            </span>{' '}
            <Since fact={fact} contractId={contractId} />
          </dd>
        </>
      ))}
      {facts.fault && (
        <>
          <dt>Control</dt>
          <dd class="dim foreign">{facts.fault}</dd>
        </>
      )}
    </>
  );
}

type ValueProps = { fact: Fact; chainUid: string; names: ReadonlyMap<string, string> };

function Value({ fact: { name, value }, chainUid, names }: ValueProps) {
  if (name === 'paused') return <>{value === 'true' ? 'yes' : 'no'}</>;
  if (name === 'minDelay') return <>{showDuration(Number(value) * 1000)}</>;
  return (
    <>
      {value
        .slice(0, 5000)
        .split(/(0x[0-9a-fA-F]{40}\b)/)
        .map((part, index) =>
          isAddress(part) ? (
            <Address key={index} value={part} chainUid={chainUid} name={names.get(part.toLowerCase())} />
          ) : (
            <span key={index} class="foreign">
              {part}
            </span>
          ),
        )}
    </>
  );
}

/** What no detector watches may have changed at any time. */
function Since({ fact, contractId }: { fact: Fact; contractId: number }) {
  if (fact.since !== null && fact.alertUid !== null)
    return (
      <a class="small" href={href(`/alert/${fact.alertUid}`)}>
        since <Time at={fact.since} />
      </a>
    );
  if (fact.alertUid !== null)
    return (
      <span class="dim small">
        changed after <a href={href(`/alert/${fact.alertUid}`)}>the newest alert about it</a>
      </span>
    );
  if (fact.watchedSince !== null)
    return (
      <span class="dim small">
        no change seen since it is watched, <Time at={fact.watchedSince} />
      </span>
    );
  return (
    <span class="dim small">
      changes are not watched (<a href={href(`/catalogue?contract=${contractId}`)}>add a detector</a>)
    </span>
  );
}
