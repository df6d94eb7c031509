/** Text that others wrote, for a line on a terminal: nothing in it moves the cursor, breaks the line or turns it around. */
export function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}
