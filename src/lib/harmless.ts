import { cutText } from './cutText.ts';

/**
 * Makes text of strangers, such as a token's symbol, safe for a message: one line, bounded length, nothing hidden, and
 * no link, mention, command or markup. Links stay readable: `https[:]//evil[.]com`.
 */
export function harmless(text: string, maxLength: number): string {
  const shown = text
    .slice(0, maxRead)
    .normalize('NFKC')
    // Hidden characters leave a gap, so that a copy of a known name looks different.
    .replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu, ' ')
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .replace(/:\/\//g, '[:]//')
    // No top-level domain has one letter; some tokens end so (USDC.e).
    .replace(/(?<=[\p{L}\p{N}-])[.。](?=\p{L}{2})/gu, '[.]')
    .replace(/(?<=\d)\.(?=\d+\.\d)/g, '[.]')
    .replaceAll('@', '(at)')
    .replace(/(?<=^| )\/+(?=\p{L})/gu, '')
    .replace(/[<>{}`*~]/g, (mark) => replacements[mark] ?? '')
    .replace(/ {2,}/g, ' ')
    .trim();
  return shown.length > maxLength ? `${cutText(shown, maxLength - 1)}…` : shown;
}

/** Bounds the work: a contract can answer with megabytes. */
const maxRead = 10_000;

const replacements: Readonly<Record<string, string>> = {
  '<': '‹',
  '>': '›',
  '{': '(',
  '}': ')',
  '`': "'",
  '*': '∗',
  '~': '∼',
};
