import { client } from '../../state/api.ts';
import { WelcomeForm } from './WelcomeForm.tsx';

/** Behind the link that the first start prints: makes the first administrator and signs them in. */
export function SetUpPage() {
  // After the #, so that it is in no log of a proxy.
  const code = location.hash.slice(1);
  return (
    <WelcomeForm
      title="Welcome to Vigil"
      asked={['name', 'email', 'password']}
      start={
        code === ''
          ? null
          : (entered) =>
              client.post('/auth/setup', {
                body: {
                  code,
                  name: entered('name'),
                  email: entered('email').trim(),
                  password: entered('password'),
                  cookie: true,
                },
              })
      }
    >
      {code === '' ? (
        <p class="notice">
          Open the set-up link that Vigil printed when it started. It works once and for an hour; then the
          token beside it signs you in as an API key.
        </p>
      ) : (
        <p class="dim">
          You become its first administrator. Next you connect a chain and paste a first contract.
        </p>
      )}
    </WelcomeForm>
  );
}
