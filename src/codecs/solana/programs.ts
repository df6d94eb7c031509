import { base58 } from '@scure/base';

/** Programs of the chain itself that are understood without an interface. */
export const systemProgram = '11111111111111111111111111111111';
export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const token2022Program = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const loaderProgram = 'BPFLoaderUpgradeab1e11111111111111111111111';
export const computeBudgetProgram = 'ComputeBudget111111111111111111111111111111';
export const metadataProgram = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';

/** The first four bytes of an instruction of the system program or the loader, little-endian; -1 where there are fewer. */
export function numberOf(input: string): number {
  return input.length >= 8 ? Buffer.from(input.slice(0, 8), 'hex').readUInt32LE() : -1;
}

/** The key after the number of an instruction of the system program; undefined where there is none. */
export function keyIn(input: string): string | undefined {
  const bytes = Buffer.from(input.slice(8, 72), 'hex');
  return bytes.length === 32 ? base58.encode(bytes) : undefined;
}

/** Instructions of the system program that have to do with durable nonces. */
export const nonceInstruction = { advance: 4, initialize: 6, authorize: 7 } as const;
