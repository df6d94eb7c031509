import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { showCount } from '../../state/format.ts';
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
};

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
      {faults.data?.total === 0 && !halt.data?.halted && (
        <Empty title="All is well">
          Every detector evaluates, every destination receives, no action has failed.
        </Empty>
      )}
      <ul class="list">
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
            {state !== 'UNDER_WAY' && <p class="dim small">{advice}</p>}
          </li>
        ))}
      </ul>
      {more > 0 && <p class="dim small">And {showCount(more)} more.</p>}
    </section>
  );
}
