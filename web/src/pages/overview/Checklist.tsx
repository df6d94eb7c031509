import { Icon } from '../../parts/Icon.tsx';
import { searchRecords } from '../../state/api.ts';
import { loadChains } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { can, mayChooseTenant } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';

type Step = { title: string; hint: string; to: string; isDone: boolean };

/** The way to the first alert, until it has been gone. */
export function Checklist() {
  const steps = useLoad(can('POST /contract') ? 'checklist' : null, readSteps);
  if (!steps.data || steps.data.every(({ isDone }) => isDone)) return null;
  const next = steps.data.findIndex(({ isDone }) => !isDone);
  return (
    <section class="card" aria-labelledby="checklist">
      <header>
        <h2 id="checklist">Get started</h2>
      </header>
      <ol class="checklist">
        {steps.data.map(({ title, hint, to, isDone }, index) => (
          <li key={title} class={isDone ? 'done' : index === next ? 'next' : ''}>
            <span class="mark" aria-hidden="true">
              {isDone ? <Icon name="check" /> : index + 1}
            </span>
            <div>
              {isDone ? <span>{title}</span> : <a href={href(to)}>{title}</a>}
              <span class="hide-visually">{isDone ? ' (done)' : ''}</span>
              <p class="dim small">{hint}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

async function readSteps(signal: AbortSignal): Promise<Step[]> {
  const has = async (kind: string) => (await searchRecords(`/${kind}`, { size: 1 }, signal)).total > 0;
  const [chains, tenants, contracts, destinations] = await Promise.all([
    loadChains(),
    has('tenant'),
    has('contract'),
    can('POST /destination/search') ? has('destination') : true,
  ]);
  return [
    {
      title: 'Connect a chain',
      hint: 'Give Vigil an RPC endpoint of a chain.',
      to: can('POST /chain/{uid}/endpoint') ? '/admin/chains?new=endpoint' : '/admin/chains',
      isDone: chains.some(({ configured }) => configured),
    },
    ...(mayChooseTenant.value
      ? [
          {
            title: 'Create a tenant',
            hint: 'It owns what is watched.',
            to: '/admin/tenants?new=tenant',
            isDone: tenants,
          },
        ]
      : []),
    {
      title: 'Watch a contract',
      hint: 'Paste its address; Vigil says what fits.',
      to: '/projects?add=1',
      isDone: contracts,
    },
    {
      title: 'Add a destination',
      hint: 'Where alerts go: e-mail, messenger, webhook.',
      to: '/destinations?new=destination',
      isDone: destinations,
    },
  ];
}
