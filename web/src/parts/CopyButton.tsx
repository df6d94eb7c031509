import { useState } from 'preact/hooks';
import { attempt } from '../state/toasts.ts';
import { Icon } from './Icon.tsx';

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    if (!(await attempt(() => navigator.clipboard.writeText(text)))) return;
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <button type="button" class="plain small copy" title={label} aria-label={label} onClick={copy}>
      <Icon name={isDone ? 'check' : 'copy'} />
    </button>
  );
}
