import { Icon } from '../parts/Icon.tsx';
import { dismiss, toasts } from '../state/toasts.ts';

export function Toasts() {
  return (
    // A popover, so that a toast is also seen above a dialog.
    <div class="toasts" aria-live="polite">
      {toasts.value.map(({ id, tone, text }) => (
        <div class={`toast ${tone}`} key={id} role={tone === 'bad' ? 'alert' : undefined}>
          <Icon name={tone === 'bad' ? 'warning' : 'check'} />
          <span class="foreign">{text}</span>
          <button type="button" class="plain small" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
