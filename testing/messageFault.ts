import type { Finding } from '../src/model/alert.ts';

/** What about the message of an alert a person could not read; undefined when nothing is. */
export function messageFault({ message, kind, nextStep, meta }: Finding): string | undefined {
  // Hashes and addresses are numbers that people compare, not read.
  const text = message.replace(/0x[0-9a-f]+/gi, '0x');
  if (/(?<![\d.])\d{12,}/.test(text)) return `has a number of more than 11 digits: ${message}`;
  if (/\d\s*wei\b/i.test(text)) return `counts in wei: ${message}`;
  if (/undefined|NaN|\[object|\bnull\b/.test(text)) return `shows what is not there: ${message}`;
  if (/[\p{C}]|https?:\/\/(?!127\.0\.0\.1|[\w.]*example)|@/u.test(text)) return `is not harmless: ${message}`;
  if (kind === 'detector' && !nextStep && !meta.fault) return `does not say what to do next: ${message}`;
  return undefined;
}
