import { membersOf } from '../../lib/isRecord.ts';
import { createRedact } from '../../lib/maskEndpoint.ts';
import { toMessage } from './createRpc.ts';
import { type NodeSocket, openSocket } from './openSocket.ts';
import { RpcFailure } from './rpcFailure.ts';
import { type HeadProtocol, headLimits } from './subscribeToHeads.ts';

/** Wait for the first head once the subscription stands; a chain may pause. */
const restMs = 1000;

/** Subscribes to new heads and gives the first one, null while the chain rests. Throws an RpcFailure where it cannot subscribe. */
export async function probeHeads(
  url: string,
  { subscribe, headIn }: HeadProtocol,
  timeoutMs: number,
): Promise<number | null> {
  let socket: NodeSocket | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const fail = (reason: string) => reject(new RpcFailure(reason));
      timer = setTimeout(fail, timeoutMs, `it did not announce anything within ${timeoutMs} ms`);
      socket = openSocket(url, headLimits, {
        onOpen: () => subscribe !== undefined && socket?.send(subscribe),
        onMessage(pieces) {
          const text = Buffer.concat(pieces).toString();
          const head = headIn(text);
          if (head !== undefined) return resolve(head);
          const { result, error } = membersIn(text);
          const { message: refusal } = membersOf(error);
          if (typeof refusal === 'string')
            return fail(`it does not announce new blocks: ${toMessage(refusal, createRedact(url))}`);
          if (result === undefined) return;
          clearTimeout(timer);
          timer = setTimeout(resolve, restMs, null);
        },
        onClose: reject,
      });
    });
  } finally {
    clearTimeout(timer);
    socket?.close();
  }
}

/** None of what is no JSON, which is then not the answer that is waited for. */
function membersIn(text: string) {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}
