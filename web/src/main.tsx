import { render } from 'preact';
import './theme.css';
import { findPage } from './pages.ts';
import { App } from './shell/App.tsx';
import { openPage } from './shell/PageView.tsx';
import { rememberView } from './state/lastSeen.ts';
import { path, startRouting } from './state/route.ts';
import { loadSession } from './state/session.ts';

startRouting();
rememberView();
void loadSession();
// Beside the first page, which waits for nothing of it.
if (localStorage.getItem('vigil-notify') === '1')
  void import('./state/notify.ts').then(({ startNotifying }) => startNotifying());
// Drawn once, with its page; one that is slow or cannot be read says so in its place.
const found = findPage(path.value);
if (found)
  await Promise.race([
    openPage(found.page).catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, 1000)),
  ]);
render(<App />, document.getElementById('console')!);
