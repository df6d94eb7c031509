import { eventTopic } from './abi.ts';
import { transferEvent } from './eventSignatures.ts';

/** The event of ERC-20 and, with a third indexed value, of ERC-721. */
export const transferTopic = eventTopic(transferEvent);
