export type RpcCall = { method: string; params: readonly unknown[] | Readonly<Record<string, unknown>> };
export type RpcReply = { result: unknown } | { error: RpcError };
export type RpcError = { code: number; message: string; data?: unknown };

/** One endpoint of a node. */
export type Rpc = {
  /** Without path and query, which often hold an access key. */
  readonly name: string;
  /** Sends all calls in one request; the replies stand in the order of the calls. */
  batch(calls: readonly RpcCall[], timeoutMs: number): Promise<RpcReply[]>;
  /** Says that what was asked for at that time (`performance.now`) was answered with nonsense. */
  blame(reason: string, askedAt: number): void;
  close(): Promise<void>;
};
