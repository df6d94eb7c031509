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
