import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { troubleOf } from '../../state/chainTrouble.ts';
import { showCount } from '../../state/format.ts';
import { chains } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { can, mayChooseTenant, tenantId } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

type Fault = ReplyOf<'GET', '/fault'>['data'][number];

const shown = 20;

/** Where each kind of record is mended. */
const pageOf: Readonly<Record<Fault['kind'], (id: number) => string>> = {
  detector: (id) => `/detectors/${id}`,
  trigger: (id) => `/triggers?trigger=${id}`,
  destination: (id) => `/destinations?destination=${id}`,
  action: (id) => `/actions?action=${id}`,
  wallet: (id) => `/wallets?wallet=${id}`,
  instance: (id) => `/scores?instance=${id}`,
  tenant: () => '/chains',
};

const clicks: Readonly<Record<Fault['kind'], string>> = {
  detector: 'Open it, correct it, and switch it on again.',
  trigger: 'Open it, correct it, and switch it on again.',
  destination:
    'Mend the receiver, then open it and send a test message: one that arrives switches it on again.',
  action: 'Open it: it shows how far the call has come, and Simulate whether it would succeed now.',
  wallet: 'Open it, and give it what it lacks.',
  instance: 'Correct the script of the license, then open it and let it go on.',
  tenant: 'Wait until the database server is back.',
};

/** Advice of the API names endpoints; here there are pages and buttons. */
function inClicks(kind: Fault['kind'], advice: string): string {
  return /\b(GET|POST|PUT) \//.test(advice) ? clicks[kind] : advice;
}

/** Everything that fails, is switched off or late, and calls under way: what someone has to mend or to know. */
export function FaultsCard() {
  const query = mayChooseTenant.value && tenantId.value ? { tenantId: tenantId.value } : {};
  const faults = useLoad(
    can('GET /fault') ? `faults ${tenantId.value}` : null,
    (signal) => client.get('/fault', { query: { ...query, size: shown }, signal }),
    { every: 30_000 },
  );
  const halt = useLoad(
    tenantId.value !== undefined && can('GET /action/halt') ? `halt ${tenantId.value}` : null,
    (signal) => client.get('/action/halt', { query, signal }),
    { every: 15_000 },
  );
  const silent = chains.value.filter(troubleOf);
  const isWatching = chains.value.some(({ contracts }) => contracts > 0);
  const isWell = faults.data?.total === 0 && !halt.data?.halted && silent.length === 0;
  const more = Math.max(0, (faults.data?.total ?? 0) - shown);
  return (
    <section class="card" aria-labelledby="wrong">
      <header>
        <h2 id="wrong">Needs attention</h2>
      </header>
      <Problem error={faults.error} retry={faults.reload} />
      {!faults.data && faults.isLoading && <Loading />}
      {halt.data?.halted && (
        <p class="notice bad">
          All actions have been halted since <Time at={halt.data.haltedAt} exact />.
        </p>
      )}
      {isWell && !isWatching && (
        <Empty title="Nothing is watched yet">What fails or stands still will be named here.</Empty>
      )}
      {isWell && isWatching && (
        <Empty title="All is well">
          Every chain is seen, every detector evaluates, every destination receives, no action has failed.
        </Empty>
      )}
      <ul class="list">
        {silent.map((chain) => (
          <li key={chain.chainUid}>
            <div class="row">
              <Badge tone="bad">{troubleOf(chain)}</Badge>
              <a href={href(`/admin/chains?chain=${chain.chainUid}`)}>{chain.name}</a>
              {chain.processedAt !== null && (
                <span class="dim small">
                  since <Time at={chain.processedAt} exact />
                </span>
              )}
            </div>
            <p class="small foreign">{chain.watchReason}</p>
            <p class="dim small">Until it is seen again, nothing that happens on it raises an alert.</p>
          </li>
        ))}
        {faults.data?.data.map(({ kind, id, name, state, reason, advice, at }) => (
          <li key={`${kind} ${id} ${state}`}>
            <div class="row">
              <Badge tone={state === 'UNDER_WAY' ? 'accent' : 'bad'}>
                {state.toLowerCase().replace('_', ' ')}
              </Badge>
              <a class="foreign" href={href(pageOf[kind](id))}>
                {name ?? `${kind} #${id}`}
              </a>
              <span class="dim small">
                <Time at={at} />
              </span>
            </div>
            <p class="small foreign">{reason}</p>
            {state !== 'UNDER_WAY' && <p class="dim small">{inClicks(kind, advice)}</p>}
          </li>
        ))}
      </ul>
      {more > 0 && <p class="dim small">And {showCount(more)} more.</p>}
    </section>
  );
}
