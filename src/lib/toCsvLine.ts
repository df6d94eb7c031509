/** A row of RFC 4180, with its line break. What is neither text nor number is written as JSON. */
export function toCsvLine(values: readonly unknown[]): string {
  return `${values.map(toCell).join()}\r\n`;
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? withoutFormula(value) : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A text that begins like a formula would run in a spreadsheet; the quote makes it text there. */
function withoutFormula(text: string): string {
  return isFormula.test(text) && !isNumber.test(text) ? `'${text}` : text;
}

const isFormula = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;
const isNumber = /^[+-]?\d+(?:\.\d+)?$/;
