import { memberOf } from '../lib/template.ts';
import type { ChainFacts } from '../model/detection.ts';
import { native } from './amounts.ts';

type Place = { contract: { readonly address: string }; chain: Pick<ChainFacts, 'canonical'> };

/** The token of an amount in a template: the one that the template names, else that of the evidence, else the contract. */
export function tokenIn(
  fields: Readonly<Record<string, unknown>>,
  argument: string | undefined,
  { contract, chain }: Place,
): string {
  if (argument === native) return native;
  const names =
    argument === undefined ? ['args.token', 'args.asset', 'token', 'asset', 'address'] : [argument];
  for (const name of names) {
    const value = memberOf(fields, name);
    if (value === native) return native;
    if (isAddressText(value)) return chain.canonical(value);
  }
  return contract.address;
}

/** Forms of all families; what is none of them has no name and no decimals. */
export function isAddressText(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{20,130}$/.test(value);
}

/** Smallest units, as evidence has them. */
export function unitsIn(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^-?\d{1,78}$/.test(text) ? BigInt(text) : undefined;
}

/** `2026-07-08 09:10:11 UTC`, of seconds, milliseconds or a date. */
export function showMoment(value: unknown): string | undefined {
  const number = unitsIn(value);
  const unitMs = number !== undefined && number < 100_000_000_000n ? 1000 : 1;
  const ms = number === undefined ? Date.parse(String(value)) : Number(number) * unitMs;
  if (!Number.isFinite(ms) || Math.abs(ms) > latestMs) return undefined;
  return new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

/** The latest time that a date can hold. */
const latestMs = 8_640_000_000_000_000;
