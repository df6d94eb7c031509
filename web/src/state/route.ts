import { computed, effect, signal } from '@preact/signals';
import { hasUnsaved, leave } from './unsaved.ts';

const base = new URL(document.baseURI).pathname;

/** Path inside the console and its parameters, as the address bar shows them. */
export const route = signal(read());
export const path = computed(() => route.value.path);
export const search = computed(() => route.value.search);

function read() {
  const { pathname } = location;
  const inside = pathname.startsWith(base) ? pathname.slice(base.length) : pathname;
  return { path: `/${inside.replace(/^\/+|\/+$/g, '')}`, search: new URLSearchParams(location.search) };
}

/** The address of a page of the console, for links. */
export function href(to: string): string {
  return base + to.replace(/^\//, '');
}

/** Opens a page, once a person has agreed to lose what they typed on the present one, unless that is about what is gone. */
export function navigate(to: string, options: { replace?: boolean; isGone?: boolean } = {}): void {
  if (options.isGone) go(to, options);
  else leave(() => go(to, options));
}

function go(to: string, { replace = false }: { replace?: boolean }): void {
  if (replace) history.replaceState(null, '', href(to));
  else history.pushState(null, '', href(to));
  const before = route.value.path;
  route.value = read();
  if (before !== route.value.path) document.querySelector('main')?.scrollTo(0, 0);
}

/** Changes parameters of the present page; undefined or empty removes one. */
export function setSearch(changes: Record<string, string | undefined>, { replace = true } = {}): void {
  const next = new URLSearchParams(route.value.search);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  const text = next.toString();
  go(`${route.value.path}${text === '' ? '' : `?${text}`}`, { replace });
}

let shown = location.href;
effect(() => {
  // What the address bar shows belongs to the route that is drawn.
  if (route.value) shown = location.href;
});

/** Links inside the console change the page without loading it again. */
export function startRouting(): void {
  addEventListener('popstate', () => {
    if (!hasUnsaved()) {
      route.value = read();
      return;
    }
    // The page stays, with an entry of its own above the one that was asked for.
    history.pushState(null, '', shown);
    leave(() => history.back());
  });
  addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.('a');
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (!link.pathname.startsWith(base) || link.dataset.outside !== undefined) return;
    event.preventDefault();
    if (link.href !== location.href)
      navigate(`/${link.pathname.slice(base.length)}${link.search}${link.hash}`);
  });
}

/** The parameters of a path that fits a pattern such as /contracts/:id. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index]!;
    if (part.startsWith(':')) params[part.slice(1)] = decode(value);
    else if (part !== value) return undefined;
  }
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
