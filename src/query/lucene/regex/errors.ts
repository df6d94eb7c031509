/** The pattern is no regular expression; a query with one matches nothing. */
export class RegexSyntaxError extends Error {
  override readonly name = 'RegexSyntaxError';
}

/** The pattern needs more states than its query may use. */
export class RegexTooComplexError extends Error {
  override readonly name = 'RegexTooComplexError';
}
