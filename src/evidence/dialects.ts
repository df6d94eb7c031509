import { candidView } from '../codecs/icp/candidView.ts';
import {
  type AnchorEvent,
  type AnchorFunction,
  anchorEvent,
  anchorEventByKey,
  anchorFunction,
  anchorFunctionByKey,
} from '../codecs/solana/anchorItems.ts';
import {
  type SorobanEvent,
  type SorobanFunction,
  sorobanEvent,
  sorobanEventByKey,
  sorobanFunction,
  sorobanFunctionByKey,
} from '../codecs/stellar/sorobanItems.ts';
import { sorobanView } from '../codecs/stellar/sorobanView.ts';
import type { Dialect } from '../model/family.ts';

type Find<T> = (signatureOrKey: string, abi: readonly unknown[]) => T | undefined;

/** Reads interfaces that contracts carry, in which names stand for functions and events. */
type NamedDialect = {
  readonly event?: Find<AnchorEvent | SorobanEvent>;
  readonly eventByKey?: Find<AnchorEvent | SorobanEvent>;
  readonly function?: Find<AnchorFunction | SorobanFunction>;
  readonly functionByKey?: Find<AnchorFunction | SorobanFunction>;
  readonly view?: typeof candidView | typeof sorobanView;
};

export const namedDialects: Readonly<Record<Exclude<Dialect, 'evm'>, NamedDialect>> = {
  anchor: {
    event: anchorEvent,
    eventByKey: anchorEventByKey,
    function: anchorFunction,
    functionByKey: anchorFunctionByKey,
  },
  soroban: {
    event: sorobanEvent,
    eventByKey: sorobanEventByKey,
    function: sorobanFunction,
    functionByKey: sorobanFunctionByKey,
    view: sorobanView,
  },
  candid: { view: candidView },
};

/** Item of the first dialect whose interface the contract carries. */
export function findNamed<T>(
  findIn: (dialect: NamedDialect) => Find<T> | undefined,
  signatureOrKey: string,
  abi: readonly unknown[],
): T | undefined {
  for (const dialect of Object.values(namedDialects)) {
    const item = findIn(dialect)?.(signatureOrKey, abi);
    if (item) return item;
  }
  return undefined;
}
