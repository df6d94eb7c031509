import { signal } from '@preact/signals';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { pages } from '../pages.ts';
import { Icon, type IconName } from '../parts/Icon.tsx';
import { quoteLike } from '../parts/RecordPage.tsx';
import { searchRecords } from '../state/api.ts';
import { navigate } from '../state/route.ts';
import { can, signOut } from '../state/session.ts';
import { theme } from '../state/theme.ts';
import { useLoad } from '../state/useLoad.ts';
import { mayOpen } from './mayOpen.ts';

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

addEventListener('keydown', (event) => {
  if (event.key === '/' && !isTyping(event)) {
    event.preventDefault();
    const query = document.querySelector<HTMLElement>(
      'main textarea[aria-label="Query"], main input[type=search]',
    );
    if (query) query.focus();
    else isOpen.value = true;
    return;
  }
  if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  isOpen.value = !isOpen.value;
});

/** Keys that stand for themselves where someone writes, and those of an open dialog. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return true;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

type Item = { title: string; hint: string; icon: IconName; run(): void };

/** Ctrl-K: pages, records by name or address, alerts by any text, commands. */
export function Palette() {
  return isOpen.value ? <OpenPalette /> : null;
}

const found = [
  {
    kind: 'contract',
    members: ['name', 'address'],
    icon: 'projects',
    to: (id: number) => `/contracts/${id}`,
  },
  { kind: 'project', members: ['name'], icon: 'projects', to: (id: number) => `/projects/${id}` },
  { kind: 'detector', members: ['name'], icon: 'detectors', to: (id: number) => `/detectors/${id}` },
  { kind: 'trigger', members: ['name'], icon: 'detectors', to: (id: number) => `/triggers?trigger=${id}` },
  { kind: 'action', members: ['name'], icon: 'actions', to: (id: number) => `/actions?action=${id}` },
  {
    kind: 'wallet',
    members: ['name', 'address'],
    icon: 'actions',
    to: (id: number) => `/wallets?wallet=${id}`,
  },
  {
    kind: 'destination',
    members: ['name', 'value'],
    icon: 'destinations',
    to: (id: number) => `/destinations?destination=${id}`,
  },
] as const;

function OpenPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const id = useId();
  const wanted = text.trim();
  // Before the next paint: someone who types on at once must not lose a letter.
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  const records = useLoad(wanted.length < 2 ? null : wanted, (signal) => findRecords(wanted, signal));
  const items = [...commands(wanted), ...(wanted.length < 2 ? [] : (records.data ?? []))];
  const at = Math.min(active, items.length - 1);
  const close = () => {
    isOpen.value = false;
  };
  const run = (item: Item | undefined) => {
    if (!item) return;
    close();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setActive(Math.min(at + 1, items.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(at - 1, 0));
    else if (event.key === 'Enter') run(items[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search or go to"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Search or go to"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={items.length > 0 ? `${id}-${at}` : undefined}
        placeholder="A page, a name, an address, a transaction …"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Results">
        {items.map((item, index) => (
          <div
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            key={`${item.hint} ${item.title} ${index}`}
            onMouseMove={() => index !== at && setActive(index)}
            onClick={() => run(item)}
          >
            <Icon name={item.icon} />
            <span class="grow cut foreign">{item.title}</span>
            <span class="dim small">{item.hint}</span>
          </div>
        ))}
      </div>
    </dialog>
  );
}

function commands(wanted: string): Item[] {
  const own: Item[] = [
    ...pages
      .filter((page) => page.icon && mayOpen(page))
      .map(
        (page): Item => ({
          title: page.title,
          hint: 'page',
          icon: page.icon!,
          run: () => navigate(page.path),
        }),
      ),
    { title: 'Dark theme', hint: 'command', icon: 'theme', run: () => setTheme('dark') },
    { title: 'Light theme', hint: 'command', icon: 'theme', run: () => setTheme('light') },
    { title: 'Sign out', hint: 'command', icon: 'user', run: () => void signOut() },
  ];
  const fitting = own.filter(({ title }) => title.toLowerCase().includes(wanted.toLowerCase()));
  if (wanted.length < 2) return fitting;
  const query = /^[\w.-]+$/.test(wanted) ? wanted : `"${wanted.replace(/["\\]/g, '\\$&')}"`;
  return [
    ...fitting,
    {
      title: `Alerts with ${wanted}`,
      hint: 'alerts',
      icon: 'alerts',
      run: () => navigate(`/alerts?q=${encodeURIComponent(query)}`),
    },
  ];
}

function setTheme(name: 'dark' | 'light'): void {
  theme.value = name;
}

async function findRecords(wanted: string, signal: AbortSignal): Promise<Item[]> {
  const lists = await Promise.all(
    found
      .filter(({ kind }) => can(`POST /${kind}/search`))
      .map(async ({ kind, members, icon, to }) => {
        const where = members.map((member) => `${member} ilike ${quoteLike(wanted)}`).join(' or ');
        const { data } = await searchRecords<{ id: number; name?: string; value?: string }>(
          `/${kind}`,
          { where, size: 5 },
          signal,
        );
        return data.map(
          ({ id, name, value }): Item => ({
            title: (name ?? value ?? `#${id}`).slice(0, 200),
            hint: kind,
            icon,
            run: () => navigate(to(id)),
          }),
        );
      }),
  );
  return lists.flat();
}
