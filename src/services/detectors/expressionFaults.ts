import { expressionParameters } from '../../detectors/expressionParameters.ts';
import type { Fault } from '../../model/errors.ts';
import { expressionMembers } from '../../model/expressionMembers.ts';
import { type Family, hasEvmDialect } from '../../model/family.ts';
import { findMistakes } from '../../scripts/findMistakes.ts';
import { anything, type RecordShape, toRecord } from '../../scripts/valueShape.ts';

/** Members that the expression of a custom kind names and that its event, call or transaction does not have. */
export function expressionFaults(
  kind: string,
  config: Readonly<Record<string, unknown>>,
  abi: readonly unknown[],
  family: Family,
): Fault[] {
  const members = expressionMembers[kind];
  const name = kind === 'contract_call' ? 'script' : 'expression';
  const source = config[name];
  if (!members || typeof source !== 'string') return [];
  const { members: known } = recordOf(members);
  // Other families call parameters and accounts by names of their own.
  const parameters =
    'args' in known && hasEvmDialect(family) ? expressionParameters(kind, config.signature, abi) : undefined;
  const e = toRecord({ ...known, ...(parameters ? { args: recordOf(parameters) } : {}) });
  return findMistakes(source, { e }).flatMap(({ message, isFault }) =>
    isFault ? [{ pointer: `/config/${name}`, code: 'script', message: `${message}.` }] : [],
  );
}

function recordOf(names: readonly string[]): RecordShape {
  return toRecord(Object.fromEntries(names.map((name) => [name, anything])));
}
