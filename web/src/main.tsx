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
// Drawn once, with its page; one that is slow or cannot be read says so in its place.
const found = findPage(path.value);
if (found)
  await Promise.race([
    openPage(found.page).catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, 1000)),
  ]);
render(<App />, document.getElementById('console')!);
