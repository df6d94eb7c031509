import type { Chain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { expressionParameters } from '../../detectors/expressionParameters.ts';
import { membersOf } from '../../lib/isRecord.ts';
import type { Fault } from '../../model/errors.ts';
import { expressionMembers, familyMembers } from '../../model/expressionMembers.ts';
import { type Family, hasEvmDialect } from '../../model/family.ts';
import { findMistakes } from '../../scripts/findMistakes.ts';
import { scriptTexts } from '../../scripts/fixAddresses.ts';
import { anything, type RecordShape, toRecord, type ValueShape } from '../../scripts/valueShape.ts';

/** Members that the expression of a custom kind names and that its event, call or transaction does not have. */
export function expressionFaults(
  kind: string,
  config: Readonly<Record<string, unknown>>,
  abi: readonly unknown[],
  chain: Chain,
): Fault[] {
  const name = kind === 'contract_call' ? 'script' : 'expression';
  const source = config[name];
  if (typeof source !== 'string') return [];
  const toFaults = (messages: readonly string[]): Fault[] =>
    messages.map((message) => ({ pointer: `/config/${name}`, code: 'script', message }));
  return toFaults([
    ...mistakesIn(source, kind, config, abi, chain.family).map((message) => `${message}.`),
    ...wrongAddresses(source, chain),
  ]);
}

function mistakesIn(
  source: string,
  kind: string,
  config: Readonly<Record<string, unknown>>,
  abi: readonly unknown[],
  family: Family,
): string[] {
  const values = valuesOf(kind, config, abi, family);
  if (!values) return [];
  return findMistakes(source, values).flatMap(({ message, isFault }) => (isFault ? [message] : []));
}

/** Values that the script sees; undefined for kinds whose scripts are not known. */
function valuesOf(
  kind: string,
  config: Readonly<Record<string, unknown>>,
  abi: readonly unknown[],
  family: Family,
): Readonly<Record<string, ValueShape>> | undefined {
  if (kind === 'invariant') {
    const terms = Array.isArray(config.terms) ? config.terms : [];
    return Object.fromEntries(terms.map((term) => [String(membersOf(term).name), anything]));
  }
  const members = expressionMembers[kind];
  if (!members) return undefined;
  const ownMembers = kind.startsWith('custom_') ? (familyMembers[family] ?? []) : [];
  const { members: memberShapes } = recordOf([...members, ...ownMembers]);
  // Other families call parameters and accounts by names of their own.
  const parameters =
    'args' in memberShapes && hasEvmDialect(family)
      ? expressionParameters(kind, config.signature, abi)
      : undefined;
  const e = toRecord({ ...memberShapes, ...(parameters ? { args: recordOf(parameters) } : {}) });
  return { e };
}

/** Texts that were meant to be addresses of the chain and are none. */
function wrongAddresses(source: string, chain: Chain): string[] {
  const { readAddress } = families[chain.family];
  const form = chain.family === 'tron' ? /^(0x[0-9a-fA-F]{40}|T[0-9A-Za-z]{33})$/ : /^0x[0-9a-fA-F]{40}$/;
  if (!hasEvmDialect(chain.family)) return [];
  return scriptTexts(source).flatMap(({ value }) => {
    const read = form.test(value) ? readAddress(value, chain) : undefined;
    return read && 'fault' in read ? [`${JSON.stringify(value)}: ${read.fault}`] : [];
  });
}

function recordOf(names: readonly string[]): RecordShape {
  return toRecord(Object.fromEntries(names.map((name) => [name, anything])));
}
