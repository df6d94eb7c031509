import { useState } from 'preact/hooks';
import { Problem } from '../../parts/Problem.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { can, me } from '../../state/session.ts';
import { attempt, toast } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';

/** One's own sessions, keys and password. */
export function SecuritySection() {
  const user = me.value;
  if (user?.userId === null || user?.userId === undefined)
    return (
      <>
        <h1>Your account</h1>
        <p class="card dim">
          You are signed in with a key, which has no password and no sessions of its own.
        </p>
      </>
    );
  return (
    <>
      <h1>Your account</h1>
      <div class="columns">
        <Sessions />
        <Password />
        <Keys />
      </div>
    </>
  );
}

function Sessions() {
  const { data, error, reload } = useLoad('sessions', (signal) => client.get('/auth/session', { signal }));
  const end = async (sessionId: number) => {
    const path = { sessionId };
    if (await attempt(() => client.delete('/auth/session/{sessionId}', { path }), 'Ended the session.'))
      reload();
  };
  return (
    <section class="card">
      <header>
        <h2>Sessions</h2>
      </header>
      <Problem error={error} retry={reload} />
      <ul class="list">
        {data?.data.map(({ id, address, refreshedAt, isCurrent }) => (
          <li key={id} class="row apart">
            <span>
              <span class="mono">{address ?? 'unknown address'}</span>{' '}
              <span class="dim small">
                <Time at={refreshedAt} />
              </span>
            </span>
            {isCurrent ? (
              <span class="dim">this one</span>
            ) : (
              <button type="button" class="small danger" onClick={() => end(id)}>
                End
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Password() {
  const [error, setError] = useState<unknown>();
  if (!can('POST /auth/password')) return null;
  const change = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const data = new FormData(form);
    setError(undefined);
    try {
      const body = { oldPassword: String(data.get('old')), newPassword: String(data.get('new')) };
      await client.post('/auth/password', { body });
      form.reset();
      toast('Changed the password. Every other session has ended.');
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <form class="card stack" onSubmit={change}>
      <h2>Password</h2>
      <Problem error={error} />
      <label class="field">
        <span class="label">Present password</span>
        <input name="old" type="password" autocomplete="current-password" required />
      </label>
      <label class="field">
        <span class="label">New password</span>
        <input name="new" type="password" autocomplete="new-password" minLength={12} required />
        <span class="hint">At least 12 characters; common ones are refused.</span>
      </label>
      <button type="submit">Change the password</button>
    </form>
  );
}

function Keys() {
  const { data } = useLoad('own keys', (signal) => client.get('/auth/apikey', { signal }));
  return (
    <section class="card">
      <header>
        <h2>Keys that you have made</h2>
      </header>
      {data?.data.length === 0 && <p class="dim">None.</p>}
      <ul class="list">
        {data?.data.map(({ id, label, hint, roles }) => (
          <li key={id} class="foreign">
            {label} <code>…{hint}</code> <span class="dim small">{roles.join(', ')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
