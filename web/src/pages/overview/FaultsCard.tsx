import { Badge } from '../../parts/Badge.tsx';
import { Empty, Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { client, searchRecords } from '../../state/api.ts';
import { nameOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { can, mayChooseTenant, tenantId } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

type Wrong = { key: string; title: string; what: string; at: number | null; to: string; badge: string };

const looked = 100;

/** Detectors at fault, destinations that fail, actions under way or failed: what someone has to mend. */
export function FaultsCard() {
  const wrong = useLoad(`faults ${tenantId.value}`, readWrong, { every: 30_000 });
  const halt = useLoad(
    tenantId.value !== undefined && can('GET /action/halt') ? `halt ${tenantId.value}` : null,
    (signal) =>
      client.get('/action/halt', {
        query: mayChooseTenant.value ? { tenantId: tenantId.value! } : {},
        signal,
      }),
    { every: 15_000 },
  );
  return (
    <section class="card" aria-labelledby="wrong">
      <header>
        <h2 id="wrong">Needs attention</h2>
      </header>
      <Problem error={wrong.error} retry={wrong.reload} />
      {!wrong.data && wrong.isLoading && <Loading />}
      {halt.data?.halted && (
        <p class="notice bad">
          All actions have been halted since <Time at={halt.data.haltedAt} exact />.
        </p>
      )}
      {wrong.data?.length === 0 && !halt.data?.halted && (
        <Empty title="All is well">
          Every detector evaluates, every destination receives, no action has failed.
        </Empty>
      )}
      <ul class="list">
        {wrong.data?.map(({ key, title, what, at, to, badge }) => (
          <li key={key}>
            <div class="row">
              <Badge tone={badge === 'under way' ? 'accent' : 'bad'}>{badge}</Badge>
              <a class="foreign" href={href(to)}>
                {title}
              </a>
              {at !== null && (
                <span class="dim small">
                  <Time at={at} />
                </span>
              )}
            </div>
            <p class="small foreign">{what}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

async function readWrong(signal: AbortSignal): Promise<Wrong[]> {
  const own = mayChooseTenant.value && tenantId.value ? { where: `tenantId = ${tenantId.value}` } : {};
  const lists = await Promise.all([
    can('GET /detector/{id}/fault') ? faultyDetectors(signal) : [],
    can('GET /destination/{id}/delivery') ? failingDestinations(own, signal) : [],
    can('GET /action/{id}/intent') ? activeIntents(signal) : [],
  ]);
  return lists.flat();
}

async function faultyDetectors(signal: AbortSignal): Promise<Wrong[]> {
  const { data } = await searchRecords<{ id: number; name: string }>(
    '/detector',
    { where: "status = 'ACTIVE'", size: looked, sort: [{ field: 'updatedAt', order: 'desc' }] },
    signal,
  );
  const faults = await Promise.all(
    data.map(async ({ id, name }) => ({
      id,
      name,
      ...(await client.get('/detector/{id}/fault', { path: { id }, signal })),
    })),
  );
  return faults
    .filter(({ works }) => !works)
    .map(({ id, name, message, lastAt }) => ({
      key: `detector ${id}`,
      title: name,
      what: message ?? 'Its evaluation fails.',
      at: lastAt,
      to: `/detectors?detector=${id}`,
      badge: 'at fault',
    }));
}

async function failingDestinations(own: { where?: string }, signal: AbortSignal): Promise<Wrong[]> {
  const { data } = await searchRecords<{
    id: number;
    value: string | null;
    messengerAChatTitle: string | null;
  }>('/destination', { ...own, size: looked }, signal);
  const logs = await Promise.all(
    data.map(async ({ id, value, messengerAChatTitle }) => ({
      id,
      name: value ?? messengerAChatTitle ?? `destination #${id}`,
      ...(await client.get('/destination/{id}/delivery', { path: { id }, query: { size: 1 }, signal })),
    })),
  );
  return logs
    .filter(({ failingSince, status }) => failingSince !== null || status === 'DISABLED')
    .map(({ id, name, failingSince, disabledReason, status, data: [last] }) => ({
      key: `destination ${id}`,
      title: name,
      what: disabledReason ?? last?.lastError ?? 'Messages do not arrive.',
      at: failingSince,
      to: `/destinations?destination=${id}`,
      badge: status === 'DISABLED' ? 'disabled' : 'failing',
    }));
}

const recentMs = 86_400_000;

async function activeIntents(signal: AbortSignal): Promise<Wrong[]> {
  const { data } = await searchRecords<{ id: number; name: string }>('/action', { size: 50 }, signal);
  const lists = await Promise.all(
    data.map(async ({ id, name }) => {
      const { data: intents } = await client.get('/action/{id}/intent', {
        path: { id },
        query: { size: 5 },
        signal,
      });
      return intents
        .filter(
          ({ state, updatedAt }) =>
            state === 'WAITING' ||
            state === 'SIGNED' ||
            state === 'SUBMITTED' ||
            (state === 'FAILED' && updatedAt > Date.now() - recentMs),
        )
        .map(
          ({ uid, state, reason, updatedAt, walletId }): Wrong => ({
            key: `intent ${uid}`,
            title: name,
            what:
              reason ??
              `Signed by ${nameOf('wallet', walletId) ?? `wallet #${walletId}`}, ${state.toLowerCase()}.`,
            at: updatedAt,
            to: `/actions?action=${id}`,
            badge: state === 'FAILED' ? 'failed' : 'under way',
          }),
        );
    }),
  );
  return lists.flat();
}
