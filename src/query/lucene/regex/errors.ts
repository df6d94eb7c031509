/** The pattern is no regular expression. A query with one matches nothing, so whoever compiles decides what it means. */
export class RegexSyntaxError extends Error {
  override readonly name = 'RegexSyntaxError';
}

/** The pattern needs more states than its query may use. */
export class RegexTooComplexError extends Error {
  override readonly name = 'RegexTooComplexError';
}
