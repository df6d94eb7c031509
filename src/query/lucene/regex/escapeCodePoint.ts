/** A character in a regular expression of PostgreSQL that stands for itself, whatever it is. */
export function escapeCodePoint(codePoint: number): string {
  return `\\U${codePoint.toString(16).padStart(8, '0')}`;
}
