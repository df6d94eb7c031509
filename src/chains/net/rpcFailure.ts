/** The failure of an endpoint to answer. */
export class RpcFailure extends Error {
  override readonly name: string = 'RpcFailure';
}

/** Beyond the limits of what was asked for. */
export class AnswerTooLarge extends RpcFailure {
  override readonly name = 'AnswerTooLarge';
}

/** An answer that no working node sends. */
export class Nonsense extends RpcFailure {
  override readonly name = 'Nonsense';
}
