/** Sent to the client as it is. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: string | undefined;

  constructor(code: number, message: string, data?: string) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new RpcError(-32602, `invalid argument: expected a string, got ${JSON.stringify(value)}`);
}
