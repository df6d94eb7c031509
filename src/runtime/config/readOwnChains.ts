import type { Chain } from '../../chains/chains.ts';
import { isRecord } from '../../lib/isRecord.ts';
import { messageOf } from '../../lib/messageOf.ts';
import { type Fault, Problem } from '../../model/errors.ts';
import { takeNames } from '../../model/takeNames.ts';
import { validate } from '../../model/validate.ts';
import { type OwnChainInput, ownChainBody, toOwnChain } from '../../services/contracts/ownChain.ts';
import type { EnvReader } from './createEnvReader.ts';

const name = 'VIGIL_CHAINS';

export type NamedChain = { chain: Chain; identity: string; endpoints: readonly string[] };

/** The chains that the environment adds: a JSON array of what `POST /chain` takes. */
export function readOwnChains(read: EnvReader): NamedChain[] {
  const items = toItems(read);
  const named = items.flatMap((item, index): NamedChain[] => {
    const result = toNamed(item);
    if (!('faults' in result)) return [result];
    for (const { pointer, message } of result.faults)
      read.fault(`${name} has a fault at /${index}${pointer}: ${message.replace(/\.$/, '')}.`);
    return [];
  });
  for (const member of ['uid', 'identity'] as const) {
    const values = named.map(({ chain, identity }) => (member === 'uid' ? chain.uid : identity));
    const twice = values.find((value, index) => values.indexOf(value) < index);
    if (twice !== undefined)
      read.fault(
        `${name} has ${member === 'uid' ? 'the name' : 'the network'} ${twice} twice; leave one out.`,
      );
  }
  return named;
}

function toItems(read: EnvReader): readonly unknown[] {
  const text = read.text(name);
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
    read.fault(`${name} must be a JSON array of chains.`);
  } catch (error) {
    // The text itself is not shown: addresses in it often hold keys.
    read.fault(`${name} is not JSON${positionOf(messageOf(error))}; it must be an array of chains.`);
  }
  return [];
}

function positionOf(message: string): string {
  const position = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  return position === undefined ? '' : ` ${position}`;
}

function toNamed(item: unknown): NamedChain | { faults: readonly Fault[] } {
  try {
    validate(ownChainBody, item);
    takeNames(ownChainBody, item);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { faults: faultsOf(error) };
  }
  const input = item as OwnChainInput;
  const faults = (input.endpoints ?? []).flatMap((url, index): Fault[] =>
    URL.canParse(url) && /^(https?|wss?):$/.test(new URL(url).protocol)
      ? []
      : [
          {
            pointer: `/endpoints/${index}`,
            code: 'format',
            message: 'must be an address that begins with http://, https://, ws:// or wss://.',
          },
        ],
  );
  const result = toOwnChain(input);
  if ('faults' in result) return { faults: [...result.faults, ...faults] };
  return faults.length > 0 ? { faults } : { ...result, endpoints: input.endpoints ?? [] };
}

function faultsOf({ message, members }: Problem): readonly Fault[] {
  const { errors } = members;
  const faults = Array.isArray(errors) ? errors.filter(isFault) : [];
  return faults.length > 0 ? faults : [{ pointer: '', code: 'fault', message }];
}

function isFault(value: unknown): value is Fault {
  return isRecord(value) && typeof value.pointer === 'string' && typeof value.message === 'string';
}
