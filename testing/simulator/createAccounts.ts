import type { Mining } from './arrival.ts';

type Account = { nonce: number; balance: bigint };

/** Nonces and balances at the head, which a fork takes back. */
export function createAccounts(balances: Readonly<Record<string, bigint>>) {
  const accounts = new Map<string, Account>();
  // On the present chain, oldest first: what it takes to look back.
  const mined: Mining[] = [];

  const of = (address: string): Readonly<Account> =>
    accounts.get(address.toLowerCase()) ?? { nonce: 0, balance: 0n };

  function update(address: string, { nonce, balance }: Account): void {
    accounts.set(address.toLowerCase(), { nonce, balance });
  }

  function change({ address, amount, nonces }: Change, sign: 1 | -1): void {
    const { nonce, balance } = of(address);
    update(address, { nonce: nonce + sign * nonces, balance: balance + BigInt(sign) * amount });
  }

  for (const [address, balance] of Object.entries(balances)) update(address, { nonce: 0, balance });

  return {
    of,
    has: (address: string): boolean => accounts.has(address.toLowerCase()),
    setBalance(address: string, wei: bigint): void {
      update(address, { ...of(address), balance: wei });
    },
    get mined(): readonly Mining[] {
      return mined;
    },

    apply(mining: Mining): void {
      mined.push(mining);
      for (const one of changesOf(mining)) change(one, 1);
    },

    /** Must be the newest. */
    revert(mining: Mining): void {
      if (mined.pop() !== mining) throw new Error(`${mining.tx.hash} is not the newest on the chain.`);
      for (const one of changesOf(mining)) change(one, -1);
    },

    /** As it was after that block. */
    at(address: string, blockNumber: number): Account {
      const key = address.toLowerCase();
      let { nonce, balance } = of(key);
      for (let place = mined.length - 1; place >= 0; place--) {
        const mining = mined[place]!;
        if (mining.blockNumber <= blockNumber) break;
        for (const one of changesOf(mining)) {
          if (one.address !== key) continue;
          nonce -= one.nonces;
          balance -= one.amount;
        }
      }
      return { nonce, balance };
    },
  };
}

type Change = { address: string; amount: bigint; nonces: number };

function changesOf({ tx, status, gasUsed, price }: Mining): Change[] {
  const moved = status ? tx.value : 0n;
  const sender = { address: tx.from, amount: -BigInt(gasUsed) * price - moved, nonces: 1 };
  return tx.to === null || moved === 0n ? [sender] : [sender, { address: tx.to, amount: moved, nonces: 0 }];
}
