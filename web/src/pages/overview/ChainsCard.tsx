import { Badge, type Tone } from '../../parts/Badge.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { troubleOf } from '../../state/chainTrouble.ts';
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
            <span class="row tight" title={chain.watchReason ?? ''}>
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

/** As the server judges it, by the age of the last block and the health of the endpoints. */
function stateOf(chain: Chain): [string, Tone] {
  const { configured, followed, contracts, lag, watchState, processed } = chain;
  if (!configured) return ['no endpoint', 'bad'];
  const trouble = troubleOf(chain);
  if (trouble) return [watchState === 'behind' && lag ? `${showCount(lag)} behind` : trouble, 'bad'];
  if (contracts === 0 && !followed) return ['nothing watched', 'dim'];
  if (!followed) return ['not followed', 'warn'];
  if (processed === null || lag === null) return ['starting', 'dim'];
  if (watchState === 'degraded') return ['degraded', 'warn'];
  return [lag === 0 ? 'in step' : `${showCount(lag)} behind`, 'good'];
}
