import { useState } from 'preact/hooks';
import { Problem } from '../../parts/Problem.tsx';
import { client } from '../../state/api.ts';
import { loadSession, session } from '../../state/session.ts';
import './signIn.css';

/** Sign-in with e-mail and password, or with an API key; the page that was asked for opens after it. */
export function SignInPage() {
  const [way, setWay] = useState<'password' | 'key'>('password');
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const reason = session.value.state === 'signed-out' ? session.value.reason : undefined;
  const signIn = async (login: () => Promise<unknown>) => {
    setState({ isBusy: true });
    try {
      await login();
      await loadSession();
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const password = String(form.get('password'));
    return signIn(() =>
      way === 'key' ? client.loginWithToken(text('key')) : client.login({ email: text('email'), password }),
    );
  };
  return (
    <main class="sign-in">
      <form class="card stack" onSubmit={submit}>
        <h1 class="row">
          <img src="./icon.svg" alt="" width="28" height="28" />
          Sign in to Vigil
        </h1>
        {reason && <p class="notice">{reason}</p>}
        <Problem error={state.error} />
        {way === 'password' ? (
          <>
            <label class="field">
              <span class="label">E-mail address</span>
              <input key="email" name="email" type="email" autocomplete="username" required />
            </label>
            <label class="field">
              <span class="label">Password</span>
              <input
                key="password"
                name="password"
                type="password"
                autocomplete="current-password"
                required
              />
            </label>
          </>
        ) : (
          <label class="field">
            <span class="label">API key or token</span>
            <input key="key" name="key" type="password" autocomplete="off" required />
          </label>
        )}
        <button type="submit" class="primary" disabled={state.isBusy}>
          Sign in
        </button>
        <button
          type="button"
          class="link"
          onClick={() => {
            setWay(way === 'key' ? 'password' : 'key');
            setState({ isBusy: false });
          }}
        >
          {way === 'key' ? 'Sign in with e-mail and password' : 'Sign in with an API key'}
        </button>
      </form>
    </main>
  );
}
