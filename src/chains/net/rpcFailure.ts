/** The failure of an endpoint to answer. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
}

/** Beyond the limits of what was asked for. */
export class AnswerTooLarge extends RpcFailure {}

/** An answer that no working node sends. */
export class Nonsense extends RpcFailure {}
