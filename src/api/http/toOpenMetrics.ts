/** The text of Prometheus as OpenMetrics has it: a counter is named without `_total`, its samples with it, and the end is marked. */
export function toOpenMetrics(text: string): string {
  const counters = new Set(Array.from(text.matchAll(/^# TYPE (\S+)_total counter$/gm), ([, name]) => name));
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
      if (!word) return line;
      const family = name.replace(/_total$/, '');
      return `# ${word} ${counters.has(family) ? family : name} ${rest.replaceAll('"', '\\"')}`;
    });
  return `${lines.join('\n')}\n# EOF\n`;
}
