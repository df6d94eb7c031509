import type { ComponentChildren } from 'preact';

export function Part({
  title,
  name = '',
  children,
}: {
  title: string;
  /** A class for its place. */
  name?: string;
  children: ComponentChildren;
}) {
  return (
    <section class={`stack part ${name}`}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
