export type ServerEvent = { id: string; type: string; data: string };

/** The events of a server-sent stream; one with an id and no data moves the position of `onId` alone. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { onId, onChunk }: { onId(id: string): void; onChunk(): void },
): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let event = { type: 'message', data: [] as string[] };
  let id = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onChunk();
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line !== '') {
          const [, name, text = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
          if (name === 'id') id = text;
          else if (name === 'event') event.type = text;
          else if (name === 'data') event.data.push(text);
          continue;
        }
        if (id !== '') onId(id);
        if (event.data.length > 0) yield { id, type: event.type, data: event.data.join('\n') };
        event = { type: 'message', data: [] };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
