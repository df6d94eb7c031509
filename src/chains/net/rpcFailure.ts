/** What an endpoint did instead of answering. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
}

export class AnswerTooLarge extends RpcFailure {}
