import { Badge } from '../../parts/Badge.tsx';
import { Loading } from '../../parts/Empty.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { useLoad } from '../../state/useLoad.ts';

/** Whether the whole installation works, and whether anyone outside would notice if it did not. */
export function HeartbeatSection() {
  const { data, error, reload } = useLoad('heartbeat', (signal) => client.get('/heartbeat', { signal }), {
    every: 10_000,
  });
  return (
    <>
      <header class="row">
        <h1 class="grow">Heartbeat</h1>
        {data && <Badge tone={data.isOk ? 'good' : 'bad'}>{data.isOk ? 'All parts work' : 'Stopped'}</Badge>}
      </header>
      <Problem error={error} retry={reload} />
      {!data && !error && <Loading />}
      {data && (
        <div class="card">
          {data.faults.map(({ part, chainUid, message }) => (
            <p key={`${part} ${chainUid}`} role="alert">
              {message}
            </p>
          ))}
          {data.isOk && (
            <p>
              Chains are followed, queues move, and messages come through. It has been so since{' '}
              <Time at={data.since} />.
            </p>
          )}
          <p>
            {data.addresses === 0 ? (
              'No watchdog is called. Set VIGIL_HEARTBEAT_URL, so that someone is paged when Vigil itself stops.'
            ) : (
              <>
                Watchdogs: {data.addresses}, last called <Time at={data.sentAt} />.
              </>
            )}
          </p>
          {data.sendFault !== null && <p role="alert">{data.sendFault}</p>}
        </div>
      )}
    </>
  );
}
