import { useEffect, useState } from 'preact/hooks';
import { createClient } from '../../../../sdk/src/index.ts';
import { Problem } from '../../parts/Problem.tsx';
import { apiUrl, client } from '../../state/api.ts';
import { linkedKey } from '../../state/linkedKey.ts';
import { loadSession, type Me, me } from '../../state/session.ts';
import './signIn.css';

/** Behind a link with a key, which anyone can make: asks before the browser acts for the holder of the key. */
export function LinkedKeyPage({ linked }: { linked: string }) {
  const [holder, setHolder] = useState<Me>();
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  useEffect(() => {
    // A client of its own, which sends no cookie and keeps nothing.
    createClient({ url: apiUrl, token: linked, retries: 1 })
      .get('/auth/me')
      .then(setHolder, (error: unknown) => setState({ isBusy: false, error }));
  }, [linked]);
  const discard = () => {
    linkedKey.value = undefined;
  };
  const accept = async () => {
    setState({ isBusy: true });
    const isOther = me.value !== undefined;
    try {
      await client.loginWithToken(linked);
      discard();
      // Nothing that was read as another user stays.
      if (isOther) location.reload();
      else await loadSession();
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  return (
    <main class="sign-in">
      <section class="card stack">
        <h1 class="row">
          <img src="./icon.svg" alt="" width="28" height="28" />
          {holder ? 'Sign in with this link?' : 'A link with a key'}
        </h1>
        <Problem error={state.error} />
        {holder && (
          <p class="foreign">
            Sign in as <b>{whoIs(holder)}</b> ({holder.roles.join(', ')}) of <b>{whereIs(holder)}</b>?
          </p>
        )}
        {holder && me.value && (
          <p class="notice foreign">
            You are signed in as {whoIs(me.value)} of {whereIs(me.value)}, and will not be any more.
          </p>
        )}
        <p class="dim">
          Go on only if you know whose link it is: everything that you enter then belongs to them.
        </p>
        <button type="button" class="primary" disabled={!holder || state.isBusy} onClick={accept}>
          Sign in
        </button>
        <button type="button" class="link" onClick={discard}>
          Discard the key
        </button>
      </section>
    </main>
  );
}

const whoIs = ({ name, tokenKind }: Me) => name ?? (tokenKind === 'ADMIN' ? 'the administrator' : 'a key');
const whereIs = ({ tenantId, tenantName }: Me) =>
  tenantName ?? (tenantId === null ? 'the platform' : `tenant ${tenantId}`);
