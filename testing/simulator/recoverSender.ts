import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Address, type Hex, PublicKey, Secp256k1 } from 'ox';
import { addMultiple, type Multiples, multiplesOf } from './multiples.ts';

type Signature = { r: bigint; s: bigint; yParity: number };

const { Point } = secp256k1;
const { Fp, Fn } = Point;

// To recover a key costs five times what it costs to check that a key with a table made the signature.
const busy: { address: string; multiples: Multiples }[] = [];
const seen = new Map<string, number>();
const busyAfter = 20;
const mostBusy = 4;
let base: Multiples | undefined;

/** The address, in lower case, whose key made the signature. */
export function recoverSender(payload: Hex.Hex, signature: Signature): string {
  return findBusy(payload, signature) ?? recover(payload, signature);
}

function findBusy(payload: Hex.Hex, { r, s, yParity }: Signature): string | undefined {
  if (!base || busy.length === 0) return undefined;
  const inverse = Fn.inv(s);
  const start = addMultiple({ x: 0n, y: 0n, z: 0n }, base, Fn.mul(Fn.create(BigInt(payload)), inverse));
  const share = Fn.mul(r, inverse);
  return busy.find(({ multiples }) => {
    const { x, y, z } = addMultiple(start, multiples, share);
    const zz = Fp.sqr(Fp.create(z));
    if (Fp.create(x) !== Fp.mul(r, zz)) return false;
    return (Fp.div(Fp.create(y), Fp.mul(zz, Fp.create(z))) & 1n) === BigInt(yParity);
  })?.address;
}

function recover(payload: Hex.Hex, signature: Signature): string {
  const key = Secp256k1.recoverPublicKey({ payload, signature });
  const address = Address.fromPublicKey(key).toLowerCase();
  const count = (seen.get(address) ?? 0) + 1;
  seen.set(address, count % busyAfter);
  if (count === busyAfter) {
    base ??= multiplesOf(Point.BASE);
    busy.unshift({ address, multiples: multiplesOf(Point.fromHex(PublicKey.toHex(key).slice(2))) });
    busy.splice(mostBusy);
  }
  return address;
}
