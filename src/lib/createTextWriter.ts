/** In characters; a page of fifty alerts is shorter. */
const pieceLength = 128 * 1024;

/**
 * Puts texts together while they come. Long ones become pieces of UTF-8 on the way: as one string they would be copied three more
 * times before they are sent.
 */
export function createTextWriter() {
  const pieces: Buffer[] = [];
  let texts: string[] = [];
  let length = 0;
  return {
    write: (text: string): void => {
      texts.push(text);
      length += text.length;
      if (length < pieceLength) return;
      pieces.push(Buffer.from(texts.join('')));
      texts = [];
      length = 0;
    },
    /** A string if all is shorter than a piece. */
    end: (): string | Buffer[] => {
      const rest = texts.join('');
      return pieces.length === 0 ? rest : [...pieces, Buffer.from(rest)];
    },
  };
}
