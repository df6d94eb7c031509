/** As `JSON.parse`, but a whole number that JavaScript would round comes as the text of its digits. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(mayRound.test(text) ? text.replace(tokens, quoteLarge) : text);
}

/** Nearly all texts have no number of so many digits, and are read as fast as ever. */
const mayRound = /[[:,]\s?-?\d{16}/;
/** Texts, whose digits are none of a number, and long whole numbers. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g;

function quoteLarge(token: string): string {
  return token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`;
}
