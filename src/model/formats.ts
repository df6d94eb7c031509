import { parseCondition } from '../lib/condition.ts';
import { isDuration, parseDuration } from '../lib/duration.ts';
import { isMailAddress, mailAddressWords } from '../lib/mailAddress.ts';
import { parseSchedule } from '../lib/schedule.ts';
import { followedFunding } from './followedFunding.ts';
import { everyLook, isRepeat, once } from './repeat.ts';

/** A format that a schema may name, with the words that say what would be right. */
type Format = { readonly test: (text: string) => boolean; readonly words: string };

const formats: Record<string, Format> = {
  email: { test: isMailAddress, words: mailAddressWords },
  'date-time': {
    test: (text) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text) && isRealDate(text),
    words: 'must be an ISO 8601 date-time such as 2026-11-15T00:00:00.000Z',
  },
  webAddress: {
    test: (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    words: 'must be an address that begins with http:// or https://',
  },
  amount: {
    test: (text) => /^\d{1,78}(\.\d{1,78})?$/.test(text),
    words: 'must be a decimal number written as text, such as "1000000.5"',
  },
  duration: { test: isDuration, words: 'must be a length of time such as "10 min", "1 day" or "30 seconds"' },
  fundingWindow: {
    test: (text) => isDuration(text) && parseDuration(text) <= followedFunding.windowMs,
    words: 'must be a length of time up to 30 days such as "7 days"; funding is followed no longer',
  },
  rateWindow: {
    test: (text) => isDuration(text) && parseDuration(text) >= 1_000 && parseDuration(text) <= 604_800_000,
    words: 'must be a length of time from 1 s to 7 days such as "5 min"',
  },
  alertQuery: {
    // Parsed where it is saved, as searches parse it.
    test: () => true,
    words: 'must be a query such as severity:HIGH',
  },
  alertMember: {
    // Checked where it is saved, by the members that alerts have.
    test: () => true,
    words: 'must be a member of alerts such as meta.from',
  },
  schedule: {
    test: (text) => isAccepted(parseSchedule, text),
    words: 'must be a length of time such as "10 min", or a cron expression such as "0 */6 * * *"',
  },
  condition: {
    test: (text) => isAccepted(parseCondition, text),
    words: 'must be a condition such as "> 100", "< -5", ">= 10%", "++1000" or ">> 1"',
  },
  repeat: {
    test: isRepeat,
    words: `must be "${once}", "${everyLook}", or a length of time such as "1 h"`,
  },
  amountOrPercent: {
    test: (text) => /^\d{1,60}(\.\d{1,60})?\s?%?$/.test(text),
    words: 'must be an amount such as "1000.5", or a share such as "1%"',
  },
  domain: {
    test: (text) =>
      text.length <= 253 &&
      /^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)+[A-Za-z0-9-]{2,63}$/.test(text),
    words: 'must be a domain name such as app.example.com',
  },
  name: {
    // Checked by `takeNames`, which says what is wrong with it, and where.
    test: () => true,
    words: 'must be a name without hidden characters',
  },
  webTarget: {
    // Checked where it is saved, by what the operator allows.
    test: () => true,
    words: 'must be an address such as https://example.com/status',
  },
  script: {
    // Compiled where it is saved, by the sandbox that will run it.
    test: () => true,
    words: 'must be an expression such as e.args.value > 10n ** 18n',
  },
};

/** Adds a format of a chain family. Schemas use the name that this returns, so that no schema names a format that is missing. */
export function defineFormat<const Name extends string>(name: Name, format: Format): Name {
  formats[name] = format;
  return name;
}

export function allFormats(): Readonly<Record<string, Format>> {
  return formats;
}

/** True if a parser takes the text; parsers refuse with a RangeError. */
export function isAccepted(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function isRealDate(text: string): boolean {
  const time = Date.parse(text);
  // Date.parse carries 30 February over into March; the day must still be the one that was written.
  return (
    !Number.isNaN(time) &&
    new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10))
  );
}
