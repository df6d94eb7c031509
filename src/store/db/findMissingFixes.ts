/** Minor releases of 13 August 2026, which fix 28 vulnerabilities, by major version. */
const fixedIn: ReadonlyMap<number, number> = new Map([
  [18, 6],
  [17, 11],
  [16, 15],
  [15, 19],
]);

/**
 * Fixes that a release of PostgreSQL such as 18.4 lacks; undefined for a newer one, and for a major version that is not
 * listed.
 */
export function findMissingFixes(release: string): string | undefined {
  const [major = 0, minor = 0] = release.split('.').map(Number);
  const fixed = fixedIn.get(major);
  if (fixed === undefined || minor >= fixed) return undefined;
  return `PostgreSQL ${release} lacks the security fixes of ${major}.${fixed} (13 August 2026).`;
}
