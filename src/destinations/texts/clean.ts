/**
 * Text of tenants and chains on one line. Control, formatting and lone surrogate characters are dropped: they could turn
 * the line around, hide a part of it, or break out of a header.
 */
export function cleanLine(text: string, max: number): string {
  return cut(
    text
      .replace(/[\s\p{Z}]+/gu, ' ')
      .replace(unwanted, '')
      .trim(),
    max,
  );
}

/** The same for text whose line breaks matter. */
export function cleanText(text: string, max: number): string {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/u);
  const clean = lines.map((line) =>
    line
      .replace(/[\t\p{Z}]/gu, ' ')
      .replace(unwanted, '')
      .trimEnd(),
  );
  return cut(
    clean
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
    max,
  );
}

const unwanted = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** Never cuts through a character. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/\p{Cs}$/u, '')}…`;
}

/** A link as the URL standard writes it; undefined unless it is http or https. */
export function cleanLink(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 4000 || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  return url.href.replace(/[|'<>"`\\^{}]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** For HTML and for the markup of the first messenger, inside text and inside quoted attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => entities[mark] ?? '');
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
