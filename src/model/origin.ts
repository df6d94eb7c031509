/** The origin of what a holder has of a token; `made` lists those of `accounts` that a person made. */
export type OriginQuery = {
  readonly token: string;
  readonly holder: string;
  /** Accounts that sent the transactions in question. */
  readonly senders: readonly string[];
  /** Contracts whose maker matters. */
  readonly accounts: readonly string[];
};

export type OriginAccount = {
  readonly address: string;
  /** The account had coins when the window began; undefined where nodes do not show it. */
  readonly hadCoins: boolean | undefined;
  readonly made: readonly string[];
};

/** `wasHeld`: the holder had the token when the window began; undefined where nodes do not show it. */
export type Origin = {
  readonly wasHeld: boolean | undefined;
  /** Senders of transactions within the window by which the holder received it. */
  readonly givers: readonly OriginAccount[];
  readonly senders: readonly OriginAccount[];
};
