/** The beginning of a text that was too long to be kept, and how many bytes the whole has. */
export class TextHead {
  readonly text: string;
  readonly length: number;

  constructor(text: string, length: number) {
    this.text = text;
    this.length = length;
  }
}
