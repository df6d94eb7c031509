/** A detector tagged so raises alerts that notify no one and fire nothing. */
export const shadowTag = 'shadow';

export function isShadow(tags: readonly string[] | undefined): boolean {
  return (tags ?? []).includes(shadowTag);
}
