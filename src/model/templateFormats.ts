/** Formats of members in message templates, with the words that explain them. */
export const templateFormats = {
  token:
    'an amount of smallest units in whole tokens with the symbol; of the token that the alert names, or of one that a member names: {args.amount | token args.asset}',
  usd: 'the same in US dollars, where a price is known',
  time: 'a time in seconds or milliseconds since 1970 as a date',
  label: 'an address by your name for it',
} as const;
export type TemplateFormat = keyof typeof templateFormats;

export function isTemplateFormat(word: string): word is TemplateFormat {
  return Object.hasOwn(templateFormats, word);
}
