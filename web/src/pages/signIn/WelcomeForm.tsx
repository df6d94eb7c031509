import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Problem } from '../../parts/Problem.tsx';
import { faultsOf } from '../../state/api.ts';
import { navigate } from '../../state/route.ts';
import { loadSession } from '../../state/session.ts';
import './signIn.css';

const fields = {
  name: { label: 'Your name', type: 'text', autocomplete: 'name' },
  email: { label: 'E-mail address', type: 'email', autocomplete: 'username' },
  password: { label: 'Password', type: 'password', autocomplete: 'new-password' },
} as const;

type Field = keyof typeof fields;

type Props = {
  title: string;
  asked: readonly Field[];
  children: ComponentChildren;
  /** Makes the person a user with a session; null where the link is not whole. */
  start: ((entered: (field: Field) => string) => Promise<unknown>) | null;
};

/** Behind a link that makes someone a user: asks for what is missing, and signs them in. */
export function WelcomeForm({ title, asked, children, start }: Props) {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setState({ isBusy: true });
    try {
      await start?.((field) => String(form.get(field) ?? ''));
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
          {title}
        </h1>
        {children}
        {start && (
          <>
            <Problem error={state.error} shown={asked.map((name) => `/${name}`)} />
            {asked.map((name) => {
              const { label, ...attributes } = fields[name];
              const own = faults.filter(({ pointer }) => pointer === `/${name}`);
              return (
                <label class="field" key={name}>
                  <span class="label">{label}</span>
                  <input name={name} required {...attributes} aria-invalid={own.length > 0} />
                  {own.map(({ message }) => (
                    <span class="fault foreign" key={message}>
                      {message}
                    </span>
                  ))}
                </label>
              );
            })}
            <button type="submit" class="primary" disabled={state.isBusy}>
              Start
            </button>
          </>
        )}
      </form>
    </main>
  );
}
