import { get, type IncomingMessage } from 'node:http';
import type { Json } from '../../../testing/startTestApi.ts';

type StreamEvent = { id: string; type: string; alert: Json; at: number };

export type AlertStream = {
  status: number;
  /** The problem, when the stream was refused. */
  problem: Json;
  events: StreamEvent[];
  hasEnded(): boolean;
  /** Stops and goes on reading what the server sends. */
  pause(): void;
  resume(): void;
  close(): void;
};

/** Opens the live stream and collects its events. */
export async function openAlertStream(
  url: string,
  token: string,
  options: { query?: string; lastEventId?: string; isReading?: boolean } = {},
): Promise<AlertStream> {
  const path = `/api/v1/alert/stream${options.query ? `?query=${encodeURIComponent(options.query)}` : ''}`;
  const request = get(`${url}${path}`, {
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      ...(options.lastEventId && { 'last-event-id': options.lastEventId }),
    },
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
  });
  const status = response.statusCode ?? 0;
  response.setEncoding('utf8').on('error', () => {});
  if (status !== 200) {
    let text = '';
    for await (const piece of response) text += String(piece);
    return { ...silent, status, problem: JSON.parse(text) };
  }
  const events: StreamEvent[] = [];
  const state = { hasEnded: false, rest: '' };
  response.on('close', () => {
    state.hasEnded = true;
  });
  response.on('data', (text: string) => {
    const pieces = (state.rest + text).split('\n\n');
    state.rest = pieces.pop()!;
    for (const piece of pieces) {
      const event = toEvent(piece);
      if (event) events.push(event);
    }
  });
  if (options.isReading === false) response.pause();
  return {
    status,
    problem: {},
    events,
    hasEnded: () => state.hasEnded,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close: () => void request.destroy(),
  };
}

const silent = {
  events: [],
  hasEnded: () => true,
  pause: () => {},
  resume: () => {},
  close: () => {},
};

function toEvent(piece: string): StreamEvent | undefined {
  const found = /^id: (\S+)\nevent: (\S+)\ndata: (.*)$/.exec(piece);
  if (!found) return undefined;
  return { id: found[1]!, type: found[2]!, alert: JSON.parse(found[3]!), at: performance.now() };
}
