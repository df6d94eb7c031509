import { signal } from '@preact/signals';

/** The key of a link such as the one that the demo prints, until someone has decided about it. */
export const linkedKey = signal(take());

addEventListener('hashchange', () => {
  linkedKey.value = take() ?? linkedKey.value;
});

/** Keeps the key out of the address and the history. */
function take(): string | undefined {
  const key = /^#key=(.+)$/.exec(location.hash)?.[1];
  if (key !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return key;
}
