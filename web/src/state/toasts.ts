import { signal } from '@preact/signals';
import { isHeld, messageOf } from './api.ts';

export type Toast = { id: number; tone: 'good' | 'bad'; text: string };

export const toasts = signal<readonly Toast[]>([]);
let last = 0;

/** Says for a few seconds that something was done. */
export function toast(text: string, tone: Toast['tone'] = 'good'): void {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-3), { id, tone, text }];
  setTimeout(() => dismiss(id), tone === 'bad' ? 12_000 : 5000);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Says that a change waits for a second user, which is no failure; true when it does. */
export function toastHeld(error: unknown): boolean {
  if (isHeld(error)) toast('It waits for the approval of another user, see Approvals.');
  return isHeld(error);
}

/** Does something, and says so or why it failed; true when it was done. */
export async function attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work();
    if (done) toast(done);
    return true;
  } catch (error) {
    if (toastHeld(error)) return true;
    toast(messageOf(error), 'bad');
    return false;
  }
}
