import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './startTestApi.ts';

export type ChatWebhook = {
  url: string;
  posts: Json[];
  requests(): number;
  /** How the next posts are answered, in turn. */
  answer(...answers: { status: number; text?: string; headers?: Record<string, string> }[]): void;
  stop(): Promise<void>;
};

/** The incoming webhook of a workplace chat: it checks blocks as documented and answers `ok` in plain text. */
export async function startChatWebhook(): Promise<ChatWebhook> {
  const posts: Json[] = [];
  const planned: { status: number; text?: string; headers?: Record<string, string> }[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const next = planned.shift();
      if (next) return response.writeHead(next.status, next.headers).end(next.text ?? '');
      const body: Json = JSON.parse(Buffer.concat(chunks).toString());
      const fault = faultOf(body);
      if (fault) return response.writeHead(400).end(fault);
      posts.push(body);
      return response.writeHead(200).end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T1/B1/secretpath`,
    posts,
    requests: () => requests,
    answer: (...answers) => void planned.push(...answers),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function faultOf({ text, blocks }: Json): string | undefined {
  if (typeof text !== 'string' || text === '') return 'no_text';
  if (!Array.isArray(blocks) || blocks.length > 50) return 'invalid_blocks';
  return blocks.every(isBlock) ? undefined : 'invalid_blocks';
}

function isBlock(block: Json): boolean {
  switch (block.type) {
    case 'header':
      return isText(block.text, 150) && block.text.type === 'plain_text';
    case 'section': {
      const fields: Json[] = block.fields ?? [];
      const hasText = block.text === undefined ? fields.length > 0 : isText(block.text, 3000);
      return hasText && fields.length <= 10 && fields.every((field) => isText(field, 2000));
    }
    case 'context':
      return block.elements.length <= 10 && block.elements.every((element: Json) => isText(element, 3000));
    default:
      return false;
  }
}

function isText(text: Json, max: number): boolean {
  return /^(plain_text|mrkdwn)$/.test(text.type) && text.text.length > 0 && text.text.length <= max;
}
