import { parseExactJson } from '../../lib/parseExactJson.ts';
import { limitsOf } from './answerLimits.ts';
import { createHttp } from './createHttp.ts';
import { type Rpc, type RpcCall, RpcFailure, type RpcReply, toMessage } from './createRpc.ts';
import { pauseAfterNonsense } from './pauseAfterNonsense.ts';
import { receiveJson, receiveText } from './receivers.ts';

/** Statuses of a server that refuses to work for us at the moment, or at all; any other above 400 is about the request itself. */
const refusals = [401, 402, 407, 408, 425, 429];

/**
 * One endpoint of a node with a REST API. A method is the verb and the path as counted, such as `GET /blocks`;
 * parameters are the remaining path and the body.
 */
export function createRest(url: string): Rpc {
  const http = createHttp(url);

  async function send(call: RpcCall, timeoutMs: number): Promise<RpcReply> {
    const [verb = '', path = ''] = call.method.split(' ');
    const [rest, body] = Object.values(call.params);
    const { status, value } = await http.request<unknown>(
      {
        method: verb === 'GET' ? 'GET' : 'POST',
        path: `${path}${typeof rest === 'string' ? rest : ''}`,
        body: body === undefined ? undefined : JSON.stringify(body),
      },
      timeoutMs,
      (answered) => (answered === 200 ? receiveJson(url, limitsOf([call]), parseExactJson) : receiveText()),
    );
    if (status === 404) return { result: null };
    if (status > 500 || refusals.includes(status)) throw new RpcFailure(`it answered with status ${status}`);
    if (status !== 200)
      return { error: { code: status, message: toMessage(String(value).trim(), http.redact) } };
    return { result: value };
  }

  return pauseAfterNonsense({
    name: http.name,
    // There is no batch: the calls of a request travel side by side, but for those that others wait for.
    async batch(calls, timeoutMs) {
      const replies: RpcReply[] = [];
      for (let next = 0; next < calls.length; ) {
        const first = calls.findIndex((call, index) => index >= next && awaited.has(call));
        const end = first < 0 ? calls.length : first + 1;
        replies.push(...(await Promise.all(calls.slice(next, end).map((call) => send(call, timeoutMs)))));
        next = end;
      }
      return replies;
    },
    close: http.close,
  });
}

const awaited = new WeakSet<RpcCall>();

/** The calls after it are sent when this one is answered, so that what they see is no older. */
export function first(call: RpcCall): RpcCall {
  awaited.add(call);
  return call;
}

/** A call whose path is the same each time, but for what follows. */
export function get(path: string, rest = ''): RpcCall {
  return { method: `GET ${path}`, params: [rest] };
}

export function post(path: string, body: unknown, rest = ''): RpcCall {
  return { method: `POST ${path}`, params: [rest, body] };
}
