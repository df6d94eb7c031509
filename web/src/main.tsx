import { render } from 'preact';
import './theme.css';
import { pages } from './pages.ts';
import { App } from './shell/App.tsx';
import { matchPath, path, startRouting } from './state/route.ts';
import { loadSession } from './state/session.ts';

startRouting();
// The code of the page comes in while the session is asked for; a failure shows when it is opened.
void pages
  .find((page) => matchPath(page.path, path.value))
  ?.load()
  .catch(() => undefined);
void loadSession();
render(<App />, document.getElementById('console')!);
