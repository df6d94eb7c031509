import { Icon } from '../parts/Icon.tsx';
import { troubleOf } from '../state/chainTrouble.ts';
import { chains, loadChains } from '../state/names.ts';
import { href } from '../state/route.ts';
import { useLoad } from '../state/useLoad.ts';

/** On every page: chains on which something is watched and nothing is seen. */
export function SilentChains() {
  useLoad('silent chains', loadChains, { every: 15_000, later: true });
  const silent = chains.value.filter(troubleOf);
  const [first] = silent;
  if (!first) return null;
  const text =
    silent.length === 1 ? `${first.name}: ${troubleOf(first)}` : `${silent.length} chains are not seen`;
  return (
    <a
      class="button danger solid silent-chains"
      href={href('/')}
      title={silent.map(({ name, watchReason }) => `${name}: ${watchReason ?? ''}`).join('\n')}
    >
      <Icon name="warning" />
      <span class="cut">{text}</span>
    </a>
  );
}
