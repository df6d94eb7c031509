/** A whole number of smallest units, or a decimal text, as people read it: 1,234.5 ETH. Never goes through a float. */
export function Amount({
  value,
  decimals = 0,
  symbol,
}: {
  value: string | bigint;
  decimals?: number;
  symbol?: string;
}) {
  const text = toDecimalText(String(value), decimals);
  return (
    <span class="amount" title={`${text}${symbol ? ` ${symbol}` : ''}`}>
      {group(text)}
      {symbol && <span class="dim foreign"> {symbol}</span>}
    </span>
  );
}

function toDecimalText(value: string, decimals: number): string {
  if (decimals === 0 || !/^-?\d+$/.test(value)) return value;
  const sign = value.startsWith('-') ? '-' : '';
  const digits = value.replace('-', '').padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -decimals)}${fraction && `.${fraction}`}`;
}

function group(text: string): string {
  const match = /^(-?)(\d+)(\.\d+)?$/.exec(text);
  if (!match) return text;
  const [, sign, whole, fraction = ''] = match;
  return `${sign}${whole!.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction.slice(0, 9)}`;
}
