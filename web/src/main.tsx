import { render } from 'preact';
import './theme.css';
import { App } from './shell/App.tsx';
import { startRouting } from './state/route.ts';
import { loadSession } from './state/session.ts';

startRouting();
void loadSession();
render(<App />, document.getElementById('console')!);
