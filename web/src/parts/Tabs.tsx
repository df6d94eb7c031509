import { href, path } from '../state/route.ts';
import { can } from '../state/session.ts';

export type Tab = { to: string; title: string; needs?: string };

/** Links between pages that belong together; those that the role may not open are left out. */
export function Tabs({ tabs, label }: { tabs: readonly Tab[]; label: string }) {
  const present = path.value;
  return (
    <nav class="tabs" aria-label={label}>
      {tabs
        .filter(({ needs }) => needs === undefined || can(needs))
        .map(({ to, title }) => (
          <a key={to} href={href(to)} aria-current={present === to ? 'page' : undefined}>
            {title}
          </a>
        ))}
    </nav>
  );
}
