import { inspect } from 'node:util';

/** A value that must never be printed: logs, errors and JSON show `[sealed]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[sealed]';
  }

  toJSON(): string {
    return '[sealed]';
  }

  [inspect.custom](): string {
    return '[sealed]';
  }
}

/** Shown in place of a secret in a record; sent back, it means "as it is". */
export const sealedText = '[sealed]';

/** An address whose path is a secret: only its origin is shown. */
export function maskUri(uri: string): string {
  return URL.canParse(uri) ? `${new URL(uri).origin}/${sealedText}` : sealedText;
}
