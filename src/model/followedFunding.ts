/** Limits of following money on a chain: from platform labels with these tags, over so many accounts, for so long. */
export const followedFunding = {
  tags: ['MIXER', 'BRIDGE', 'SANCTION', 'EXPLOIT', 'SCAM'],
  maxHops: 3,
  windowMs: 30 * 24 * 3_600_000,
} as const;
