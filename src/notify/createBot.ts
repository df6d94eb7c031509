import { Agent, request } from 'undici';
import { cleanLine } from '../destinations/texts/clean.ts';
import { isRecord } from '../lib/isRecord.ts';
import type { Secret } from '../lib/secret.ts';

export type BotResponse =
  | { ok: true; result: unknown }
  | { ok: false; status?: number; error: string; retryAfterMs?: number; migratedTo?: string };

/** The messenger's bot protocol: every method is a POST with JSON, every response has `ok` and a result or a reason. */
export type Bot = {
  /** The public number in front of the token. */
  id: string;
  /** Never throws for a failure of the messenger. */
  call(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<BotResponse>;
  close(): Promise<void>;
};

export function createBot({ url, token }: { url: string; token: Secret }): Bot {
  const base = `${url.replace(/\/+$/, '')}/bot${token.reveal()}`;
  const agent = new Agent({
    connect: { timeout: 10_000 },
    maxResponseSize: 8 * 1024 * 1024,
    // The caller's signal sets the time limit; a long poll is silent for most of its time.
    headersTimeout: 120_000,
    bodyTimeout: 120_000,
  });
  return {
    id: /^\d+/.exec(token.reveal())?.[0] ?? 'bot',
    async call(method, params, signal) {
      try {
        const response = await request(`${base}/${method}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(params),
          dispatcher: agent,
          signal,
        });
        return toResponse(response.statusCode, await response.body.text());
      } catch (error) {
        // The address contains the token, so the error must not show it.
        const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
        return { ok: false, error: `The messenger could not be reached or timed out${code}.` };
      }
    },
    close: () => agent.destroy(),
  };
}

function toResponse(status: number, text: string): BotResponse {
  const body = parse(text);
  if (!isRecord(body))
    return { ok: false, status, error: `The messenger responded with ${status} and no reason.` };
  if (body.ok === true) return { ok: true, result: body.result };
  const parameters = isRecord(body.parameters) ? body.parameters : {};
  const { retry_after: wait, migrate_to_chat_id: moved } = parameters;
  const code = typeof body.error_code === 'number' ? body.error_code : status;
  const reason = typeof body.description === 'string' ? cleanLine(body.description, 300) : 'no reason given';
  return {
    ok: false,
    status: code,
    error: `The messenger responded with ${code}: ${reason}`,
    ...(typeof wait === 'number' && wait >= 0 ? { retryAfterMs: wait * 1000 } : {}),
    ...(typeof moved === 'number' || typeof moved === 'string' ? { migratedTo: String(moved) } : {}),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
