/** Texts for people; everything here is locale-aware and cheap enough for every row of a table. */

const count = new Intl.NumberFormat(undefined);
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const moment = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const shortMoment = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

export const showCount = (value: number): string => count.format(value);
export const showCompact = (value: number): string => compact.format(value);
export const showTime = (ms: number): string => moment.format(ms);
export const showShortTime = (ms: number): string => shortMoment.format(ms);

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** 3 min, 2 d: the largest unit that fits. */
export function showDuration(ms: number): string {
  for (const [unit, length] of units) if (ms >= length) return `${Math.floor(ms / length)} ${unit}`;
  return `${Math.max(0, Math.round(ms))} ms`;
}

export function showAgo(ms: number, now = Date.now()): string {
  const passed = now - ms;
  if (passed < 0) return `in ${showDuration(-passed)}`;
  return passed < 1000 ? 'just now' : `${showDuration(passed)} ago`;
}

/** 0xf39F…2266: both ends of what is too long to compare by eye. */
export function shorten(text: string, head = 6, tail = 4): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`;
}

/** The same for every address and hash inside a text. */
export function shortenHex(text: string): string {
  return text.replace(/0x[0-9a-fA-F]{40,64}/g, (hex) => shorten(hex));
}

/** The member of a record, as a label: `chainUid` becomes `Chain uid`. */
export function toLabel(member: string): string {
  const words = member
    .replace(/[_-]+/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/\b(abi|aml|api|url|uri|dns|http|tvl|id|erc20|erc721)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
