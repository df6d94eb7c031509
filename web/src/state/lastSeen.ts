const keptAs = 'vigil-seen-at';
const everyMs = 30_000;

/** When a person last had the console in view before this visit; undefined for the first one. */
export const lastSeen: number | undefined = Number(localStorage.getItem(keptAs)) || undefined;

/** Remembers that it is in view, for the next visit. */
export function rememberView(): void {
  const remember = () => document.hidden || localStorage.setItem(keptAs, String(Date.now()));
  remember();
  setInterval(remember, everyMs);
}
