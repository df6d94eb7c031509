import { useState } from 'preact/hooks';
import { Problem } from '../../parts/Problem.tsx';
import { faultsOf, request } from '../../state/api.ts';
import { navigate } from '../../state/route.ts';
import { loadSession } from '../../state/session.ts';
import './signIn.css';

/** Behind the link that the first start prints: makes the first administrator and signs them in. */
export function SetUpPage() {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  // After the #, so that it is in no log of a proxy.
  const code = location.hash.slice(1);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? '');
    setState({ isBusy: true });
    try {
      await request('POST', '/auth/setup', {
        body: {
          code,
          name: text('name'),
          email: text('email').trim(),
          password: text('password'),
          cookie: true,
        },
      });
      navigate('/', { replace: true });
      await loadSession();
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  const faults = faultsOf(state.error);
  return (
    <main class="sign-in">
      <form class="card stack" onSubmit={submit}>
        <h1 class="row">
          <img src="./icon.svg" alt="" width="28" height="28" />
          Welcome to Vigil
        </h1>
        {code === '' ? (
          <p class="notice">
            Open the set-up link that Vigil printed when it started. It works once and for an hour; then the
            token beside it signs you in as an API key.
          </p>
        ) : (
          <>
            <p class="dim">
              You become its first administrator. Next you connect a chain and paste a first contract.
            </p>
            <Problem error={state.error} shown={['/name', '/email', '/password']} />
            {fields.map(({ name, label, ...attributes }) => (
              <label class="field" key={name}>
                <span class="label">{label}</span>
                <input
                  name={name}
                  required
                  {...attributes}
                  aria-invalid={faults.some((fault) => fault.pointer === `/${name}`)}
                />
                {faults
                  .filter((fault) => fault.pointer === `/${name}`)
                  .map(({ message }) => (
                    <span class="fault foreign" key={message}>
                      {message}
                    </span>
                  ))}
              </label>
            ))}
            <button type="submit" class="primary" disabled={state.isBusy}>
              Start
            </button>
          </>
        )}
      </form>
    </main>
  );
}

const fields = [
  { name: 'name', label: 'Your name', type: 'text', autocomplete: 'name' },
  { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' },
  { name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password' },
] as const;
