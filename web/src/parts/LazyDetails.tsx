import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export type LazyDetailsProps = {
  summary: ComponentChildren;
  class?: string;
  children(): ComponentChildren;
};

/** A part that folds away, drawn when it is opened first: a page may have hundreds of folds. */
export function LazyDetails({ summary, class: className, children }: LazyDetailsProps) {
  const [isDrawn, setIsDrawn] = useState(false);
  return (
    <details {...(className ? { class: className } : {})} onToggle={() => setIsDrawn(true)}>
      <summary>{summary}</summary>
      {isDrawn && children()}
    </details>
  );
}
