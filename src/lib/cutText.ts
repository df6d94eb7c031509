/** The beginning of a text, never through the middle of a character: half of one is refused or mangled wherever it goes. */
export function cutText(text: string, maxLength: number): string {
  const cut = text.slice(0, maxLength);
  return text.length > maxLength ? cut.replace(/[\ud800-\udbff]$/, '') : cut;
}
