import { signal } from '@preact/signals';
import { messageOf } from './api.ts';

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

/** Does something, and says so or why it failed; true when it was done. */
export async function attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work();
    if (done) toast(done);
    return true;
  } catch (error) {
    toast(messageOf(error), 'bad');
    return false;
  }
}
