type Held = { amount: string; symbol: string };

/** What a share is in tokens, or which share an amount is; undefined where the text is neither. */
export function previewAmount(text: string, { amount, symbol }: Held): string | undefined {
  const match = /^\s*(\d{1,40}(?:\.\d{1,40})?)\s*(%?)\s*$/.exec(text);
  const held = Number(amount);
  if (!match || !Number.isFinite(held)) return undefined;
  const [, digits = '', percent] = match;
  const given = Number(digits);
  if (percent) return `${show(given)} % of ${show(held)} ${symbol} = ${show((held * given) / 100)} ${symbol}`;
  if (held === 0) return `It holds no ${symbol} now.`;
  return `${show(given)} ${symbol} = ${show((given / held) * 100)} % of the ${show(held)} ${symbol} that it holds`;
}

/** Six digits are enough to judge a limit by. */
const format = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 6 });
const show = (value: number): string => format.format(value);
