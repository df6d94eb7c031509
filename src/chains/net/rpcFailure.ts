/** What an endpoint did instead of answering. */
export class RpcFailure extends Error {
  override readonly name: string = 'RpcFailure';
}

/** Beyond the limits of what was asked for. */
export class AnswerTooLarge extends RpcFailure {
  override readonly name = 'AnswerTooLarge';
}

/** What no node that works sends. */
export class Nonsense extends RpcFailure {
  override readonly name = 'Nonsense';
}
