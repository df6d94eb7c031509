import type { RpcReply } from './createRpc.ts';

/** A reply that cannot be an answer to the question. */
export class InvalidResponse extends Error {
  override readonly name: string = 'InvalidResponse';
}

/** Good JSON of another form than the call has. */
export class WrongForm extends InvalidResponse {
  override readonly name = 'WrongForm';
}

/** A refusal by a node, which is allowed. */
export class NodeRefusal extends InvalidResponse {
  override readonly name: string = 'NodeRefusal';
}

/** An honest "I do not have it yet", which is no fault of an endpoint, although another one may have it. */
export class NotAvailableYet extends Error {
  override readonly name = 'NotAvailableYet';
  /** The block that it does not have, where it is about one. */
  readonly number: number | undefined;

  constructor(number?: number) {
    super('it does not have it yet');
    this.number = number;
  }
}

export function resultOf(reply: RpcReply | undefined): unknown {
  if (!reply || 'error' in reply) throw new NodeRefusal(reply?.error.message ?? 'a reply is missing');
  return reply.result;
}

/** Null where no endpoint has it. */
export async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NotAvailableYet) return null;
    throw error;
  }
}
