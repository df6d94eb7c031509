import type { Chain } from './chains.ts';

export type FamilyRules = {
  /** What a right address looks like, for error messages. */
  readonly addressForm: string;
  /** The one form used for uniqueness and matching, or a sentence that says what is wrong and what would be right. */
  readonly readAddress: (text: string, chain: Chain) => { canonical: string } | KeyFault;
  /** Whether the chain calls an asset so that has no address, beside its coin. */
  readonly isAsset?: (text: string) => boolean;
  /** The address as people know it, where that is not its canonical form. */
  readonly show?: (canonical: string) => string;
  /** What a right private key looks like, for error messages. */
  readonly keyForm: string;
  /**
   * The secret key bytes of a private key text: 32 bytes for evm, tron, vechain (secp256k1 scalar), solana and
   * stellar (Ed25519 seed); the payload of the WIF for bitcoin, whose 33rd byte marks a compressed key; PKCS#8
   * DER for icp, which names the curve. A fault never contains any part of the text.
   */
  readonly readKey: (text: string, chain?: Chain) => { key: Uint8Array } | KeyFault;
  readonly generateKey: () => Uint8Array;
  /** The address of the wallet that a key of `readKey` or `generateKey` controls, as people write it. */
  readonly deriveAddress: (key: Uint8Array, chain: Chain) => string;
  /** How wallets sign; undefined where Vigil does not sign for the family yet. */
  readonly signing?: {
    /** ECDSA over a hash, or Ed25519 over a message. The secret is the first 32 bytes of what `readKey` gives. */
    readonly curve: 'secp256k1' | 'ed25519';
    /** The address of a public key: 65 bytes, uncompressed, or the 32 of Ed25519; as people write it. */
    readonly addressOf: (publicKey: Uint8Array, chain: Chain) => string;
    /** The public key that an address is, where that is so. */
    readonly publicKeyOf?: (address: string) => Uint8Array | undefined;
    /** The curve and the secret of what `readKey` gives, where keys of the family are of either curve. */
    readonly open?: (key: Uint8Array) => { curve: 'secp256k1' | 'ed25519'; secret: Uint8Array };
    /** Payloads are messages on both curves: on secp256k1 their SHA-256 is signed. */
    readonly hashesMessages?: true;
  };
};

export type KeyFault = { fault: string };
