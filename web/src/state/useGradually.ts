import { useEffect, useState } from 'preact/hooks';

const firstItems = 30;
const moreItems = 30;

/** Number of the `total` items to draw: the first at once, the others behind the paint, so that no frame is long. Another `key` begins again. */
export function useGradually(total: number, key: string): number {
  const [drawn, setDrawn] = useState({ key, count: firstItems });
  const count = drawn.key === key ? drawn.count : firstItems;
  const isDone = count >= total;
  useEffect(() => {
    if (isDone) return;
    const timer = setTimeout(() => setDrawn({ key, count: count + moreItems }), 30);
    return () => clearTimeout(timer);
  }, [key, count, isDone]);
  return Math.min(count, total);
}
