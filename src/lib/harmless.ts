import { cutText } from './cutText.ts';

/**
 * Text that someone else chose, such as the symbol of a token, as it may stand in a message: on one line and no longer than
 * this. No program that shows it finds a link, a mention, a command or markup in it, and nothing in it is hidden or turns the
 * line around. Links stay readable as security teams write them: `https[:]//evil[.]com`.
 */
export function harmless(text: string, maxLength: number): string {
  const shown = text
    .slice(0, maxRead)
    .normalize('NFKC')
    // What is hidden leaves a gap, so that a copy of a known name does not look like it.
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
