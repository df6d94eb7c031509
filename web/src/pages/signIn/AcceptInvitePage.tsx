import { client } from '../../state/api.ts';
import { search } from '../../state/route.ts';
import { WelcomeForm } from './WelcomeForm.tsx';

/** Behind the link of an invite: makes the invited person a user and signs them in. */
export function AcceptInvitePage() {
  const uid = search.value.get('invite') ?? '';
  return (
    <WelcomeForm
      title="Join Vigil"
      asked={['name', 'password']}
      start={
        uid === ''
          ? null
          : async (entered) => {
              const password = entered('password');
              const body = { name: entered('name'), password };
              const { email, tenantId } = await client.post('/invite/{uid}/accept', {
                path: { uid },
                body,
              });
              const tenant = tenantId === null ? {} : { tenantId };
              await client.login({ email, password, ...tenant });
            }
      }
    >
      {uid === '' ? (
        <p class="notice">Open the whole link of your invite: its last part is missing here.</p>
      ) : (
        <p class="dim">
          You have been invited. Choose a password; your e-mail address is that of the invite.
        </p>
      )}
    </WelcomeForm>
  );
}
