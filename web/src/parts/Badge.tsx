import type { ComponentChildren } from 'preact';

export type Tone = 'good' | 'bad' | 'warn' | 'accent' | 'dim';

const tones: Record<string, Tone> = {
  ACTIVE: 'good',
  ok: 'good',
  DELIVERED: 'good',
  CONFIRMED: 'good',
  FINAL: 'good',
  RESOLVED: 'good',
  DISABLED: 'warn',
  PENDING: 'warn',
  UNRESOLVED: 'accent',
  RETRACTED: 'dim',
  DELETED: 'dim',
  FAILED: 'bad',
  failing: 'bad',
  DEAD: 'bad',
};

/** A state in one word; its colour says whether someone has to do something. */
export function Badge({
  value,
  tone,
  children,
}: {
  value?: string;
  tone?: Tone;
  children?: ComponentChildren;
}) {
  return <span class={`badge ${tone ?? tones[value ?? ''] ?? 'dim'}`}>{children ?? value}</span>;
}

export function Tags({ tags }: { tags: readonly string[] | null | undefined }) {
  return (
    <span class="row tight">
      {(tags ?? []).map((tag) => (
        <span class="tag" key={tag} title={tag}>
          {tag}
        </span>
      ))}
    </span>
  );
}
