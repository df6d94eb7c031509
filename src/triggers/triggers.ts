import type { Trigger } from '../model/detection.ts';
import { balanceChange } from './balanceChange.ts';
import { blacklistedCallers } from './blacklistedCallers.ts';
import { contractCreated } from './contractCreated.ts';
import { erc20Transfer } from './erc20Transfer.ts';
import { erc721Transfer } from './erc721Transfer.ts';
import { eventEmitted } from './eventEmitted.ts';
import { eventParameter } from './eventParameter.ts';
import { failedTx } from './failedTx.ts';
import { functionCall } from './functionCall.ts';
import { functionParameter } from './functionParameter.ts';
import { nativeTransfer } from './nativeTransfer.ts';
import { stateChange } from './stateChange.ts';
import { successfulTx } from './successfulTx.ts';
import { viewFunction } from './viewFunction.ts';
import { whitelistedCallers } from './whitelistedCallers.ts';

const definitions: readonly Trigger[] = [
  successfulTx,
  failedTx,
  functionCall,
  functionParameter,
  eventEmitted,
  eventParameter,
  erc20Transfer,
  erc721Transfer,
  nativeTransfer,
  balanceChange,
  stateChange,
  viewFunction,
  whitelistedCallers,
  blacklistedCallers,
  contractCreated,
];

export const triggers: ReadonlyMap<string, Trigger> = new Map(
  definitions.map((definition) => [definition.type, definition]),
);
