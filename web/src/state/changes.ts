import { signal } from '@preact/signals';

/** Grows with each record that this page has created, changed or deleted; names and menus are then read again. */
export const changes = signal(0);

/** Takes note of an answer that says so. */
export function noteChange(method: string, { ok, status }: Pick<Response, 'ok' | 'status'>): void {
  if (ok && (method === 'PUT' || method === 'DELETE' || status === 201)) changes.value += 1;
}
