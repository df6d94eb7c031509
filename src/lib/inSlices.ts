import { yieldToEventLoop } from './eventLoop.ts';

/** Small enough that whatever reads a slice in one piece is done within a few milliseconds. */
const sliceLength = 16 * 1024;

/** Texts that come in pieces of any length, in small ones, and other work gets its turn between them. */
export async function* inSlices(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    for (let index = 0; index < piece.length; index += sliceLength) {
      await yieldToEventLoop();
      yield piece.slice(index, index + sliceLength);
    }
  }
}
