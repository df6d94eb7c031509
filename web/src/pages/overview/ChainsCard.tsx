import { Badge, type Tone } from '../../parts/Badge.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { showCount } from '../../state/format.ts';
import { type Chain, loadChains } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

/** Chains that are configured or have contracts, with how far behind each is. */
export function ChainsCard() {
  const chains = useLoad('chains', loadChains, { every: 10_000 });
  const shown = (chains.data ?? []).filter(({ configured, contracts }) => configured || contracts > 0);
  return (
    <section class="card" aria-labelledby="chains">
      <header>
        <h2 id="chains">Chains</h2>
      </header>
      <Problem error={chains.error} retry={chains.reload} />
      {!chains.data && chains.isLoading && <Loading />}
      {chains.data && shown.length === 0 && (
        <Empty
          title="No chain is followed yet"
          action={
            can('POST /chain/{uid}/endpoint') && (
              <a href={href('/admin/chains?new=endpoint')}>Add an endpoint</a>
            )
          }
        >
          Vigil follows a chain through an RPC endpoint.
        </Empty>
      )}
      <ul class="list">
        {shown.map((chain) => (
          <li key={chain.chainUid} class="row apart">
            <span>
              {chain.name}{' '}
              <span class="dim small">
                {showCount(chain.contracts)} {chain.contracts === 1 ? 'contract' : 'contracts'}
              </span>
            </span>
            <span class="row tight">
              {chain.processed !== null && (
                <span class="dim small">
                  block {showCount(chain.processed)}, <Time at={chain.processedAt} />
                </span>
              )}
              <State chain={chain} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function State({ chain }: { chain: Chain }) {
  const [text, tone] = stateOf(chain);
  return <Badge tone={tone}>{text}</Badge>;
}

/** A minute behind, or ten blocks of a slow chain, is worth a look. */
function stateOf({ configured, followed, lag, blockTimeMs }: Chain): [string, Tone] {
  if (!configured) return ['no endpoint', 'bad'];
  if (!followed) return ['not followed', 'warn'];
  if (lag === null) return ['starting', 'dim'];
  const isBehind = lag > Math.max(10, 60_000 / Math.max(blockTimeMs, 1));
  return isBehind
    ? [`${showCount(lag)} behind`, 'bad']
    : [lag === 0 ? 'in step' : `${showCount(lag)} behind`, 'good'];
}
