import { AcceptInvitePage } from '../pages/signIn/AcceptInvitePage.tsx';
import { LinkedKeyPage } from '../pages/signIn/LinkedKeyPage.tsx';
import { SetUpPage } from '../pages/signIn/SetUpPage.tsx';
import { SignInPage } from '../pages/signIn/SignInPage.tsx';
import { findPage } from '../pages.ts';
import { linkedKey } from '../state/linkedKey.ts';
import { path } from '../state/route.ts';
import { session } from '../state/session.ts';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { LeaveQuestion } from './LeaveQuestion.tsx';
import { PageView } from './PageView.tsx';
import { Shell } from './Shell.tsx';
import { Toasts } from './Toasts.tsx';

export function App() {
  const { state } = session.value;
  const linked = linkedKey.value;
  return (
    <>
      <ConnectionBanner />
      {linked !== undefined && <LinkedKeyPage key={linked} linked={linked} />}
      {linked === undefined && state === 'loading' && (
        <p class="hide-visually" role="status">
          Loading
        </p>
      )}
      {linked === undefined && state === 'signed-out' && <SignedOut />}
      {linked === undefined &&
        state === 'signed-in' &&
        (path.value === '/accept-invite' ? <AcceptInvitePage /> : <SignedIn />)}
      <LeaveQuestion />
      <Toasts />
    </>
  );
}

function SignedOut() {
  if (path.value === '/accept-invite') return <AcceptInvitePage />;
  const { value } = session;
  const awaitsFirstUser = value.state === 'signed-out' && value.awaitsFirstUser;
  return path.value === '/setup' || awaitsFirstUser ? <SetUpPage /> : <SignInPage />;
}

function SignedIn() {
  const found = findPage(path.value);
  if (found)
    return (
      <Shell>
        <PageView key={found.page.path} {...found} />
      </Shell>
    );
  return (
    <Shell>
      <div class="page">
        <h1>There is no such page</h1>
        <p>
          Go to the <a href="./">overview</a>, or press <kbd>Ctrl</kbd> <kbd>K</kbd> to find something.
        </p>
      </div>
    </Shell>
  );
}
