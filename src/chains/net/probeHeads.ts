import { Agent, WebSocket } from 'undici';
import { membersOf } from '../../lib/isRecord.ts';
import { createRedact } from '../../lib/maskEndpoint.ts';
import { RpcFailure } from './rpcFailure.ts';
import type { HeadProtocol } from './subscribeToHeads.ts';

/** How long the first head is waited for once the subscription stands; a chain may rest. */
const restMs = 1000;

/** Subscribes to new heads and gives the first one, null while the chain rests. Throws an RpcFailure where it cannot subscribe. */
export async function probeHeads(
  url: string,
  { subscribe, headIn }: HeadProtocol,
  timeoutMs: number,
): Promise<number | null> {
  const dispatcher = new Agent({ connectTimeout: timeoutMs });
  const socket = new WebSocket(url, { dispatcher });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const fail = (reason: string) => reject(new RpcFailure(reason));
      timer = setTimeout(fail, timeoutMs, `it did not announce anything within ${timeoutMs} ms`);
      socket.addEventListener('error', () => fail('the connection failed'));
      socket.addEventListener('close', () => fail('the connection was closed'));
      socket.addEventListener('open', () => subscribe !== undefined && socket.send(subscribe));
      socket.addEventListener('message', ({ data }) => {
        const head = headIn(String(data));
        if (head !== undefined) return resolve(head);
        const { result, error } = membersIn(String(data));
        const { message: refusal } = membersOf(error);
        if (typeof refusal === 'string')
          return fail(`it does not announce new blocks: ${createRedact(url)(refusal)}`);
        if (result === undefined) return;
        clearTimeout(timer);
        timer = setTimeout(resolve, restMs, null);
      });
    });
  } finally {
    clearTimeout(timer);
    socket.close();
    await dispatcher.destroy();
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
