import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { pages } from '../pages.ts';
import { Icon } from '../parts/Icon.tsx';
import { href, path } from '../state/route.ts';
import { me, signOut } from '../state/session.ts';
import { type Theme, theme } from '../state/theme.ts';
import { HaltButton } from './HaltButton.tsx';
import { mayOpen } from './mayOpen.ts';
import { openPalette, Palette } from './Palette.tsx';
import { SilentChains } from './SilentChains.tsx';
import { TenantSwitch } from './TenantSwitch.tsx';

/** What is around every page: navigation, search, halt, tenant, user. */
export function Shell({ children }: { children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  const present = path.value;
  // A new page folds the navigation away.
  useEffect(() => setOpen(false), [present]);
  return (
    <div class={`shell${isOpen ? ' open' : ''}`}>
      <a class="skip" href="#main" data-outside>
        Skip to the page
      </a>
      <header class="topbar">
        <button
          type="button"
          class="plain menu"
          aria-label="Navigation"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="menu" />
        </button>
        <a class="brand" href={href('/')}>
          <img src="./icon.svg" alt="" width="22" height="22" />
          Vigil
        </a>
        <button type="button" class="search-button" onClick={openPalette}>
          <Icon name="search" />
          <span class="grow">Search or go to …</span>
          <kbd>Ctrl K</kbd>
        </button>
        <span class="grow" />
        <SilentChains />
        <TenantSwitch />
        <HaltButton />
        <UserMenu />
      </header>
      <nav class="sidebar" aria-label="Pages">
        <ul>
          {pages
            .filter((page) => page.icon && mayOpen(page))
            .map(({ path, title, icon }) => (
              <li key={path}>
                <a href={href(path)} aria-current={isWithin(path, present) ? 'page' : undefined}>
                  <Icon name={icon!} />
                  {title}
                </a>
              </li>
            ))}
        </ul>
        <ul class="foot">
          <li>
            <a href={href('/docs')} target="_blank" rel="noreferrer">
              <Icon name="outside" />
              API documents
            </a>
          </li>
          <li>
            <a href={href('/THIRD-PARTY-NOTICES.txt')} target="_blank" rel="noreferrer">
              <Icon name="outside" />
              Licences
            </a>
          </li>
        </ul>
      </nav>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Palette />
    </div>
  );
}

const owners = [
  ['/alert/', '/alerts'],
  ['/contracts/', '/projects'],
  ['/triggers', '/detectors'],
  ['/catalogue', '/detectors'],
  ['/wallets', '/actions'],
  ['/approvals', '/actions'],
  ['/licenses', '/scores'],
] as const;

function isWithin(page: string, present: string): boolean {
  if (page === '/') return present === '/';
  // Pages without a row of their own belong to another: /alert/{uid} to /alerts, /wallets to /actions.
  const owner = owners.find(([start]) => present.startsWith(start))?.[1] ?? present;
  return owner === page || owner.startsWith(`${page}/`);
}

const themes: readonly Theme[] = ['system', 'light', 'dark'];

function UserMenu() {
  const user = me.value;
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="user-menu">
      <button type="button" class="plain" popovertarget="user-menu" aria-label="You and your settings">
        <Icon name="user" />
      </button>
      <div
        id="user-menu"
        popover="auto"
        class="menu-card stack"
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        {isOpen && user && (
          <>
            <div>
              <p class="dim small">
                Signed in {user.tokenKind === 'SESSION' ? `as user #${user.userId}` : 'with a key'}
              </p>
              <p>{user.roles.join(', ')}</p>
            </div>
            <fieldset class="row tight">
              <legend class="hide-visually">Theme</legend>
              {themes.map((name) => (
                <button
                  type="button"
                  class="small"
                  key={name}
                  aria-pressed={theme.value === name}
                  onClick={() => {
                    theme.value = name;
                  }}
                >
                  {name}
                </button>
              ))}
            </fieldset>
            <button type="button" onClick={() => void signOut()}>
              Sign out
            </button>
          </>
        )}
      </div>
    </div>
  );
}
