import { createFairQueue } from '../../lib/createFairQueue.ts';
import { createJsonIntake } from '../../lib/createJsonIntake.ts';
import { createJsonReader, type PieceReading } from '../../lib/createJsonReader.ts';
import { InvalidJson, TooDeep, TooManyValues } from '../../lib/invalidJson.ts';
import type { AnswerLimits } from './answerLimits.ts';
import { AnswerTooLarge, Nonsense } from './rpcFailure.ts';

/** Takes an answer piece by piece and makes of it what it is read as. */
export type Receiver<T> = {
  readonly maxBytes: number;
  /** Bytes that it holds, where that is less than what came. */
  held?(): number;
  write(piece: Buffer): void;
  end(): T | Promise<T>;
};

export type ParseJson = (text: string) => unknown;

/** Large answers that are read at once: what is made of them takes several times as much memory. */
const inParts = createFairQueue({ slots: 2, slotsPerKey: 1 });

/** Large answers of one endpoint, `owner`, are read one after the other. */
export function receiveJson(owner: string, limits: AnswerLimits, parseJson?: ParseJson): Receiver<unknown> {
  const intake = createJsonIntake(limits, parseJson);
  return {
    maxBytes: limits.maxBytes,
    write: (piece) => orNonsense(() => intake.write(piece)),
    end: () =>
      intake.isLarge() ? inParts.run(owner, intake.endInParts).catch(fail) : orNonsense(intake.end),
  };
}

/** Reads while it comes, without what is passed over and cut off. */
export function receivePieces(reading: PieceReading, limits: AnswerLimits): Receiver<unknown> {
  const reader = createJsonReader(limits, reading);
  return {
    maxBytes: limits.maxBytes,
    held: reader.held,
    write: (piece) => orNonsense(() => reader.write(piece)),
    end: () => orNonsense(reader.end),
  };
}

export function receiveBytes(maxBytes: number): Receiver<Buffer> {
  const pieces: Buffer[] = [];
  return { maxBytes, write: (piece) => void pieces.push(piece), end: () => Buffer.concat(pieces) };
}

/** The page that comes with an error, of which the beginning is enough. */
export function receiveText(): Receiver<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  return {
    maxBytes: 1024 * 1024,
    write(piece) {
      if (size < maxTextBytes) pieces.push(piece);
      size += piece.length;
    },
    end: () => Buffer.concat(pieces).subarray(0, maxTextBytes).toString(),
  };
}

const maxTextBytes = 4096;

function orNonsense<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    return fail(cause);
  }
}

function fail(cause: unknown): never {
  if (cause instanceof TooManyValues) throw new AnswerTooLarge('its answer has too many values', { cause });
  if (cause instanceof TooDeep) throw new Nonsense('its answer is nested too deeply', { cause });
  if (cause instanceof InvalidJson) throw new Nonsense('its answer is not JSON', { cause });
  throw cause;
}
