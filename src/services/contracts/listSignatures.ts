import { findContractAbi } from '../../store/contracts/findContractAbi.ts';
import { contractTable } from '../../store/tables/contractTable.ts';
import type { Call } from '../call.ts';
import { findReadable } from '../records/findReadable.ts';

type Input = { type: string; name?: string; indexed?: boolean; components?: Input[] };
type Item = { type: string; name?: string; inputs?: Input[]; stateMutability?: string };

/** Functions and events of a contract's ABI as people write them, for forms to offer. */
export async function listSignatures(call: Call, contractId: number) {
  const { tenantId } = await findReadable(call, contractTable, contractId);
  const items = (await findContractAbi(call.db, tenantId, contractId)) as readonly Item[];
  const functions = items.filter(({ type }) => type === 'function');
  return {
    functions: functions.map(signatureOf).sort(),
    writing: functions
      .filter(({ stateMutability }) => !isReading(stateMutability))
      .map(signatureOf)
      .sort(),
    events: items
      .filter(({ type }) => type === 'event')
      .map(signatureOf)
      .sort(),
  };
}

const isReading = (mutability: string | undefined) => mutability === 'view' || mutability === 'pure';

function signatureOf({ name, inputs = [] }: Item): string {
  return `${name ?? ''}(${inputs.map(describeInput).join(', ')})`;
}

function describeInput(input: Input): string {
  return [typeOf(input), input.indexed ? 'indexed' : '', input.name ?? ''].filter(Boolean).join(' ');
}

function typeOf({ type, components }: Input): string {
  return components ? `(${components.map(typeOf).join(',')})${type.slice('tuple'.length)}` : type;
}
