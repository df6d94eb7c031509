import type { ComponentChildren } from 'preact';

/** Nothing here yet: says why, and what the next step is. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <div class="stack" aria-busy="true">
      <span class="hide-visually" role="status">
        Loading
      </span>
      {Array.from({ length: lines }, (_, line) => (
        <div class="skeleton" key={line} />
      ))}
    </div>
  );
}
