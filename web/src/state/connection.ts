import { signal } from '@preact/signals';

/** Whether Vigil answers. Pages stay as they are while it does not, so that no input is lost. */
export const isConnected = signal(true);
/** Grows with each return of the connection; what is on screen is then read again. */
export const reconnections = signal(0);

let timer: ReturnType<typeof setTimeout> | undefined;

export function reportLost(): void {
  isConnected.value = false;
  timer ??= setTimeout(() => void probe(), 1000);
}

export function reportAnswer(): void {
  if (isConnected.value) return;
  clearTimeout(timer);
  timer = undefined;
  isConnected.value = true;
  reconnections.value += 1;
}

async function probe(): Promise<void> {
  timer = undefined;
  try {
    const { ok } = await fetch(new URL('readyz', document.baseURI), { cache: 'no-store' });
    if (ok) reportAnswer();
    else reportLost();
  } catch {
    reportLost();
  }
}
