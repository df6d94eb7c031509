import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { toAddress } from '../../../src/chains/bitcoin/script.ts';
import { chains } from '../../../src/chains/chains.ts';
import { showAddress } from '../../../src/chains/tron/tronAddress.ts';
import type { Json } from '../../startTestApi.ts';
import type { Branches, Link, Payment } from './createBranches.ts';

/** How the nodes of a family show a simulated chain: what following it asks for, and nothing of the state. */
export type FamilyNode = {
  toHash(number: number, digits: string): string;
  /** As people write it. */
  address(account: number): string;
  skips?: true;
  /** JSON-RPC by method; REST by path. Undefined: it knows no such call. */
  answer(chain: Branches, call: string, params: Json): Json | null;
};

const hex20 = (account: number) => (account + 1).toString(16).padStart(2, '0').repeat(20);
const notFound = { error: { code: -8, message: 'Block height out of range' } };

const bitcoin: FamilyNode = {
  toHash: (_number, digits) => digits,
  address: (account) => String(toAddress(`0014${hex20(account)}`)),
  answer(chain, method, { 0: which }) {
    const blocks = chain.blocks();
    const found = blocks.find(({ number, hash }) => number === which || hash === which);
    const { number, hash } = chain.head();
    if (method === 'getblockcount') return { result: number };
    if (method === 'getbestblockhash') return { result: hash };
    if (method === 'getblockchaininfo') return { result: { chain: 'regtest', blocks: number } };
    if (!found) return notFound;
    return { result: method === 'getblockhash' ? found.hash : bitcoinBlock(found) };
  },
};

function bitcoinBlock({ number, hash, parentHash, time, payments }: Link): Json {
  const output = (sats: number, account: number) => ({
    value: sats / 1e8,
    scriptPubKey: { hex: '', address: bitcoin.address(account) },
  });
  const coinbase = { txid: sha256(hash), vsize: 100, vin: [{ coinbase: '00' }], vout: [output(5e8, 9)] };
  const tx = [
    coinbase,
    ...payments.map(({ id, from, to, amount, fee }) => ({
      txid: id,
      vsize: 140,
      fee: fee / 1e8,
      vin: [{ txid: sha256(id), vout: 0, prevout: output(amount + fee, from) }],
      vout: [output(amount, to)],
    })),
  ];
  return {
    height: number,
    hash,
    ...(number > 0 && { previousblockhash: parentHash }),
    time,
    tx,
    merkleroot: merkleRoot(tx.map(({ txid }) => Buffer.from(txid, 'hex').reverse())),
    weight: 1000,
    size: 1000,
  };
}

function sha256(hex: string): string {
  return createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex');
}

function merkleRoot(level: readonly Buffer[]): string {
  const [root] = level;
  if (level.length < 2 || !root)
    return Buffer.from(root ?? '')
      .reverse()
      .toString('hex');
  const pairs = Array.from({ length: Math.ceil(level.length / 2) }, (_, place) => {
    const left = level[2 * place]!;
    const both = Buffer.concat([left, level[2 * place + 1] ?? left]);
    return Buffer.from(sha256(sha256(both.toString('hex'))), 'hex');
  });
  return merkleRoot(pairs);
}

const solana: FamilyNode = {
  toHash: (_number, digits) => base58.encode(Buffer.from(digits, 'hex')),
  address: (account) => base58.encode(new Uint8Array(32).fill(account + 1)),
  skips: true,
  answer(chain, method, params) {
    const blocks = chain.blocks();
    const { 0: first, 1: second } = params;
    switch (method) {
      case 'getGenesisHash':
        return { result: chains.solana.genesis };
      case 'getSlot':
        return { result: (first.commitment === 'finalized' ? chain.final() : chain.head()).number };
      case 'getBlocks':
        return {
          result: blocks.flatMap(({ number }) => (number >= first && number <= second ? [number] : [])),
        };
      case 'getBlock': {
        const found = blocks.find(({ number }) => number === first);
        if (found) return { result: solanaBlock(found) };
        return { error: { code: first > chain.head().number ? -32004 : -32007, message: 'no such block' } };
      }
      case 'getTransaction': {
        const found = blocks.find(({ payments }) => payments.some(({ id }) => signatureOf(id) === first));
        const detail = {
          slot: found?.number,
          meta: { innerInstructions: [], logMessages: [] },
          transaction: { signatures: [first], message: { accountKeys: [], instructions: [] } },
        };
        return { result: found ? detail : null };
      }
      default:
        return null;
    }
  },
};

const signatureOf = (id: string) => base58.encode(Buffer.from(id + id, 'hex'));

function solanaBlock({ hash, parentHash, time, payments }: Link): Json {
  const transaction = ({ id, from, to, amount, fee, isSuccess }: Payment) => {
    const before = 4_000_000_000_000;
    const moved = isSuccess && from !== to ? amount : 0;
    const accounts = from === to ? [from] : [from, to];
    return {
      meta: {
        err: isSuccess ? null : { InstructionError: [0, { Custom: 1 }] },
        fee,
        preBalances: accounts.map(() => before),
        postBalances: [before - moved - fee, before + moved].slice(0, accounts.length),
        preTokenBalances: [],
        postTokenBalances: [],
      },
      transaction: {
        signatures: [signatureOf(id)],
        accountKeys: accounts.map((account, place) => ({
          pubkey: solana.address(account),
          signer: place === 0,
          writable: true,
        })),
      },
    };
  };
  return {
    blockhash: hash,
    previousBlockhash: parentHash,
    blockTime: time,
    transactions: payments.map(transaction),
  };
}

const tron: FamilyNode = {
  toHash: (number, digits) => number.toString(16).padStart(16, '0') + digits.slice(16),
  address: (account) => showAddress(`0x${hex20(account)}`),
  answer(chain, path, { id_or_num, num }) {
    const find = (which: unknown) => chain.blocks().find(({ number }) => number === Number(which));
    const found = path.endsWith('/getblock')
      ? id_or_num === undefined
        ? chain.head()
        : find(id_or_num)
      : find(num);
    if (path.endsWith('/getnodeinfo')) return { solidityBlock: `Num:${chain.final().number},ID:` };
    if (path.endsWith('/getblock')) return found ? tronBlock(found) : {};
    return path.endsWith('blocknum') ? (found?.payments.map(tronInfo(found)) ?? {}) : {};
  },
};

function tronBlock({ number, hash, parentHash, time, payments }: Link): Json {
  return {
    blockID: hash,
    block_header: { raw_data: { number, parentHash, timestamp: 1000 * time } },
    transactions: payments.map(({ id, from, to, amount, isSuccess }) => ({
      txID: id,
      ret: [{ contractRet: isSuccess ? 'SUCCESS' : 'REVERT' }],
      raw_data: {
        contract: [
          {
            type: 'TransferContract',
            parameter: {
              value: { owner_address: `41${hex20(from)}`, to_address: `41${hex20(to)}`, amount },
            },
          },
        ],
      },
      raw_data_hex: '',
    })),
  };
}

const tronInfo =
  ({ number, time }: Link) =>
  ({ id, fee }: Payment) => ({
    id,
    blockNumber: number,
    blockTimeStamp: 1000 * time,
    fee,
    receipt: { energy_usage_total: 100 },
  });

const vechain: FamilyNode = {
  toHash: (number, digits) => `0x${number.toString(16).padStart(8, '0')}${digits.slice(8)}`,
  address: (account) => `0x${hex20(account)}`,
  answer(chain, path) {
    const which = /^\/blocks\/(\w+)/.exec(path)?.[1];
    if (which === 'best') return vechainBlock(chain.head());
    if (which === 'finalized') return vechainBlock(chain.final());
    const found = chain.blocks().find(({ number, hash }) => String(number) === which || hash === which);
    return found ? vechainBlock(found) : null;
  },
};

function vechainBlock({ number, hash, parentHash, time, payments }: Link): Json {
  return {
    number,
    id: hash,
    parentID: parentHash,
    timestamp: time,
    size: 1000,
    gasLimit: 40_000_000,
    gasUsed: 21_000,
    transactions: payments.map(({ id, from, to, amount, fee, isSuccess }) => {
      const [origin, recipient] = [vechain.address(from), vechain.address(to)];
      const value = `0x${(BigInt(amount) * 10n ** 10n).toString(16)}`;
      const transfers = [{ sender: origin, recipient, amount: value }];
      return {
        id: `0x${id}`,
        origin,
        gasPayer: origin,
        clauses: [{ to: recipient, value, data: '0x' }],
        outputs: isSuccess ? [{ contractAddress: null, events: [], transfers }] : [],
        gasUsed: 21_000,
        paid: `0x${fee.toString(16)}`,
        reward: '0x0',
        reverted: !isSuccess,
      };
    }),
  };
}

export const familyNodes = { bitcoin, solana, tron, vechain };
