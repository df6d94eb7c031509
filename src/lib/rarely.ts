/** Tells the first failure at once and then one a minute, not every attempt. */
export function rarely(now: () => number, tell: (error: unknown) => void): (error: unknown) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (now() < toldAt + 60_000) return;
    toldAt = now();
    tell(error);
  };
}
