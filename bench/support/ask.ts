import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Posts to a kept connection and reads the whole answer, uncompressed as the rows of the plain SQL beside it are. */
export async function ask(url: string, token: string, body: unknown): Promise<Buffer> {
  const text = JSON.stringify(body);
  const sent = request(url, {
    agent,
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    },
  });
  sent.end(text);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response!) chunks.push(chunk);
  const answer = Buffer.concat(chunks);
  if (response!.statusCode !== 200) throw new Error(`${url}: ${response!.statusCode} ${answer.toString()}`);
  return answer;
}
