import type { Chain } from './chains.ts';

export type FamilyRules = {
  /** Description of a right address, for error messages. */
  readonly addressForm: string;
  /** The one form used for uniqueness and matching, or a sentence that says what is wrong and what would be right. */
  readonly readAddress: (text: string, chain: Chain) => { canonical: string } | KeyFault;
  /** True for assets without an address that the chain names, beside its coin. */
  readonly isAsset?: (text: string) => boolean;
  /** The address as people know it, where that is not its canonical form. */
  readonly show?: (canonical: string) => string;
  /** Description of a right private key, for error messages. */
  readonly keyForm: string;
  /**
   * Key bytes of a private key text: 32 (secp256k1 or Ed25519), for bitcoin the WIF's payload, whose 33rd byte marks
   * compression, for icp PKCS#8 DER. A fault contains no part of the text.
   */
  readonly readKey: (text: string, chain?: Chain) => { key: Uint8Array } | KeyFault;
  readonly generateKey: () => Uint8Array;
  /** The address of the wallet that a key of `readKey` or `generateKey` controls, as people write it. */
  readonly deriveAddress: (key: Uint8Array, chain: Chain) => string;
  /** The signature scheme of wallets; undefined where Vigil does not sign for the family yet. */
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
