/** At even places what stands between the words. */
export function splitAtWords(text: string, words: readonly string[]): string[] {
  const pattern = [...new Set(words)]
    .filter((word) => word !== '')
    .sort((a, b) => b.length - a.length)
    .map(wordPattern)
    .join('|');
  return pattern === '' ? [text] : text.split(new RegExp(`(${pattern})`, 'giu'));
}

/** A word of letters is not marked inside a longer one; scripts without spaces have no such ends. */
function wordPattern(word: string): string {
  const escaped = word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const before = /^[a-z0-9_]/i.test(word) ? '(?<![\\p{L}\\p{N}_])' : '';
  const after = /[a-z0-9_]$/i.test(word) ? '(?![\\p{L}\\p{N}_])' : '';
  return `${before}${escaped}${after}`;
}
