import { answerLength, isPriceQuestion } from '../../../codecs/evm/priceQuestions.ts';
import type { PieceReading } from '../../../lib/createJsonReader.ts';

const MiB = 1024 * 1024;
/** The largest code that chains take, with the code that creates it, which is searched for addresses. */
const longest = 2 + 2 * 128 * 1024;
/** Inputs are whole up to the first amount of texts kept, then `long`; beyond the second a selector and ten words. */
const amounts = { whole: 16 * MiB, long: 32 * MiB };
const long = 2 + 16 * 1024;
const short = 2 + 8 + 10 * 64;

/**
 * Rules for reading traces as they arrive: only the heads of most inputs are kept, because large inputs cost a caller
 * next to nothing. Creation codes are kept whole, because they have their price.
 */
export const traceReading = {
  /** Members that nothing is made of. */
  skipped: new Set(['gas', 'gasUsed', 'logs']),
  heads: {
    longest,
    most: 64 * MiB,
    remaining({ type, init, error, input }, key, kept) {
      const isCreation = init !== undefined || type === 'CREATE' || type === 'CREATE2';
      // Read where a call failed, and where it asked for a price.
      if (key === 'output' && type !== undefined && error === undefined)
        return typeof input === 'string' && isPriceQuestion(input) ? answerLength : 0;
      if (isCreation || kept < amounts.whole) return longest;
      return kept < amounts.long ? long : short;
    },
  },
} as const satisfies PieceReading;
