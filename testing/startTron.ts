import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { accountOf } from '../src/chains/hexKey.ts';
import type { Anvil } from './startAnvil.ts';
import type { Json } from './startTestApi.ts';

export type Tron = Awaited<ReturnType<typeof startTron>>;

/** What a system contract does, as a block lists it; its outcome is a success. */
export type SystemContract = { type: string; value: Json };

/**
 * The HTTP API of java-tron over a real EVM chain, so that logs, reverts and reorganisations are real. Its answers have the
 * members of those that a real node gave (`recorded/javaTron.json`). It deviates in this: one wei is one sun, energy is gas,
 * the fee is not taken, the tree of transactions has no root, blocks have no signature, and ids of blocks and transactions are
 * made of the hashes of the EVM.
 */
export async function startTron(anvil: Anvil, solidDepth = 19) {
  /** What blocks do beside their EVM transactions, by the hash of the block before. */
  const systemOf = new Map<string, readonly SystemContract[]>();
  /** Broadcast transactions: the hash on the EVM of an id, and the id of a hash. */
  const sent = new Map<string, string>();
  const ids = new Map<string, string>();

  const blockAt = async (which: string, isWhole: boolean): Promise<Json | null> =>
    anvil.rpc('eth_getBlockByNumber', which, isWhole);

  async function getBlock({ id_or_num: which, detail = false }: Json): Promise<Json> {
    const tag = which === undefined ? 'latest' : toHex(Number(which));
    const block = await blockAt(tag, detail);
    if (!block) return {};
    const transactions = detail ? await listTransactions(block) : [];
    return {
      blockID: toId(block.number, block.hash),
      block_header: {
        raw_data: {
          ...(Number(block.number) === 0 ? {} : { number: Number(block.number) }),
          txTrieRoot: '0'.repeat(64),
          witness_address: `41${'0'.repeat(40)}`,
          parentHash:
            Number(block.number) === 0 ? '0'.repeat(64) : toId(Number(block.number) - 1, block.parentHash),
          version: 32,
          timestamp: Number(block.timestamp) * 1000,
        },
        witness_signature: '00'.repeat(65),
      },
      ...(transactions.length === 0 ? {} : { transactions }),
    };
  }

  async function listTransactions(block: Json): Promise<Json[]> {
    const receipts = await anvil.rpc<Json[]>('eth_getBlockReceipts', block.number);
    const own = block.transactions.map((each: Json, index: number) =>
      toTransaction(idOf(each.hash), toContract(each), receipts[index]?.status === '0x1', receipts[index]),
    );
    const system = (systemOf.get(block.parentHash) ?? []).map((contract, index) =>
      toTransaction(systemId(block.hash, index).slice(2), contract, true),
    );
    return [...own, ...system];
  }

  async function getInfos({ num }: Json): Promise<Json[]> {
    const block = await blockAt(toHex(num), false);
    if (!block) return [];
    const receipts = await anvil.rpc<Json[]>('eth_getBlockReceipts', block.number);
    const common = { blockNumber: num, blockTimeStamp: Number(block.timestamp) * 1000 };
    const system = (systemOf.get(block.parentHash) ?? []).map((_, index) => ({
      ...common,
      id: systemId(block.hash, index).slice(2),
      fee: 100_000,
      contractResult: [''],
      receipt: { net_fee: 100_000 },
    }));
    return [...receipts.map((receipt) => ({ ...common, ...infoOf(receipt) })), ...system];
  }

  async function run({ owner_address, contract_address, data, call_value = 0 }: Json): Promise<Json> {
    const to = toAccount(contract_address);
    if ((await anvil.rpc<string>('eth_getCode', to, 'latest')) === '0x')
      return {
        result: { code: 'CONTRACT_VALIDATE_ERROR', message: toHexText('Smart contract is not exist.') },
      };
    const call = { from: toAccount(owner_address), to, data: `0x${data}`, value: toHex(call_value) };
    try {
      const result = await anvil.rpc<string>('eth_call', call, 'latest');
      return {
        result: { result: true },
        energy_used: 1000,
        constant_result: [result.slice(2)],
        transaction: { ret: [{}] },
      };
    } catch (error) {
      const revert = /0x[0-9a-f]+/.exec(String(error))?.[0] ?? '0x';
      return {
        result: { result: true, message: toHexText('REVERT opcode executed') },
        energy_used: 1000,
        constant_result: [revert.slice(2)],
        transaction: { ret: [{ ret: 'FAILED' }] },
      };
    }
  }

  /**
   * Takes a transaction as a node does: only with a signature of its owner, on a block of this chain, and before it expires.
   * Its id stays that of its bytes.
   */
  /** Sent twice at once, by a process that died and by the one after it, it is still taken once. */
  const arriving = new Set<string>();
  async function broadcast({ transaction }: Json): Promise<Json> {
    if (arriving.has(transaction))
      return { code: 'DUP_TRANSACTION_ERROR', message: toHexText('Dup transaction.') };
    arriving.add(transaction);
    return accept({ transaction }).finally(() => arriving.delete(transaction));
  }

  async function accept({ transaction }: Json): Promise<Json> {
    const members = readMembers(hexToBytes(transaction));
    const rawData = members.get(1) as Uint8Array;
    const signature = members.get(2) as Uint8Array;
    const id = bytesToHex(sha256(rawData));
    if (sent.has(id))
      return { code: 'DUP_TRANSACTION_ERROR', message: toHexText('Dup transaction.'), txid: id };
    const raw = readMembers(rawData);
    const any = readMembers(readMembers(raw.get(11) as Uint8Array).get(2) as Uint8Array);
    const call = readMembers(any.get(2) as Uint8Array);
    const [owner, contract, data] = [1, 2, 4].map((member) => bytesToHex(call.get(member) as Uint8Array));
    const recovered = secp256k1.Signature.fromBytes(
      Uint8Array.from([signature[64] ?? 0, ...signature.subarray(0, 64)]),
      'recovered',
    ).recoverPublicKey(sha256(rawData));
    if (`41${bytesToHex(accountOf(recovered.toBytes(false)))}` !== owner)
      return { code: 'SIGERROR', message: toHexText('Validate signature error.'), txid: id };
    const newest = await getBlock({});
    const { number = 0, timestamp } = newest.block_header.raw_data;
    if (Number(raw.get(8)) <= timestamp)
      return { code: 'TRANSACTION_EXPIRATION_ERROR', message: toHexText('Transaction expired'), txid: id };
    const named = Number.parseInt(bytesToHex(raw.get(1) as Uint8Array), 16);
    const anchor = await getBlock({ id_or_num: String(number - ((number - named) & 0xffff)) });
    if (anchor.blockID?.slice(16, 32) !== bytesToHex(raw.get(4) as Uint8Array))
      return { code: 'TAPOS_ERROR', message: toHexText('Tapos check error.'), txid: id };
    const from = toAccount(owner ?? '');
    await anvil.impersonate(from);
    const hash = await anvil.submit({ from, to: toAccount(contract ?? ''), data: `0x${data}` });
    sent.set(id, hash);
    ids.set(hash, id);
    return { result: true, txid: id };
  }

  const idOf = (hash: string) => ids.get(hash) ?? hash.slice(2);
  const infoOf = (receipt: Json) => toInfo(idOf(receipt.transactionHash), receipt);
  const answers: Record<string, (body: Json) => Promise<unknown>> = {
    '/wallet/getblock': getBlock,
    '/wallet/gettransactioninfobyblocknum': getInfos,
    '/wallet/triggerconstantcontract': run,
    '/wallet/broadcasthex': broadcast,
    '/wallet/getchainparameters': async () => ({
      chainParameter: [
        { key: 'getEnergyFee', value: 100 },
        { key: 'getTransactionFee', value: 1000 },
      ],
    }),
    '/wallet/getnodeinfo': async () => ({
      solidityBlock: `Num:${Math.max(0, Number(await anvil.rpc('eth_blockNumber')) - solidDepth)},ID:00`,
    }),
    '/wallet/getaccount': async ({ address }) => ({
      balance: BigInt(String(await anvil.rpc('eth_getBalance', toAccount(address), 'latest'))),
    }),
    '/wallet/getcontractinfo': async ({ value }) => {
      const code = await anvil.rpc<string>('eth_getCode', toAccount(value), 'latest');
      return code === '0x' ? {} : { runtimecode: code.slice(2) };
    },
    '/wallet/gettransactioninfobyid': async ({ value }) => {
      const hash = sent.get(value) ?? `0x${value}`;
      const receipt = await anvil.rpc<Json | null>('eth_getTransactionReceipt', hash);
      return receipt ? { ...infoOf(receipt), blockNumber: Number(receipt.blockNumber) } : {};
    },
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = answers[String(request.url)];
      // A full node answers so what only a solidity node knows.
      if (!answer || request.method !== 'POST') return void response.writeHead(405).end();
      answer(JSON.parse(Buffer.concat(chunks).toString())).then(
        (body) => response.end(JSON.stringify(body, plainNumbers).replace(/"#(\d+)"/g, '$1')),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const first = await getBlock({ id_or_num: '0' });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The id of the first block. */
    genesis: String(first.blockID),
    getBlock,
    getInfos,
    height: async () => Number(await anvil.rpc('eth_blockNumber')),
    /** Makes a block that does this as well; the id of the last. */
    async mineSystem(...contracts: SystemContract[]): Promise<string> {
      const { hash: before } = (await blockAt('latest', false)) ?? {};
      systemOf.set(before, contracts);
      await anvil.mine();
      const { hash } = (await blockAt('latest', false)) ?? {};
      return systemId(hash, contracts.length - 1).slice(2);
    },
    /** Other blocks in place of the last ones, which do nothing. */
    async reorganise(depth: number): Promise<void> {
      systemOf.clear();
      await anvil.reorg(depth);
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function toTransaction(txID: string, contract: SystemContract, isSuccess: boolean, receipt?: Json): Json {
  return {
    ret: [{ contractRet: isSuccess ? 'SUCCESS' : 'REVERT' }],
    signature: ['00'.repeat(65)],
    txID,
    ...(receipt?.contractAddress ? { contract_address: toNode(receipt.contractAddress) } : {}),
    raw_data: {
      contract: [
        {
          parameter: { value: contract.value, type_url: `type.googleapis.com/protocol.${contract.type}` },
          type: contract.type,
        },
      ],
      ref_block_bytes: '0000',
      ref_block_hash: '0'.repeat(16),
      expiration: 0,
      timestamp: 0,
    },
    raw_data_hex: '',
  };
}

/** Nodes write all digits of an amount. */
const plainNumbers = (_name: string, value: unknown) => (typeof value === 'bigint' ? `#${value}` : value);

/** What an EVM transaction would be on Tron. */
function toContract({ from, to, input, value }: Json): SystemContract {
  const owner_address = toNode(from);
  const amount = BigInt(value) < 2n ** 53n ? Number(value) : BigInt(value);
  if (to === null)
    return {
      type: 'CreateSmartContract',
      value: { owner_address, new_contract: { bytecode: input.slice(2), origin_address: owner_address } },
    };
  if (input === '0x')
    return { type: 'TransferContract', value: { amount, owner_address, to_address: toNode(to) } };
  return {
    type: 'TriggerSmartContract',
    value: {
      data: input.slice(2),
      owner_address,
      contract_address: toNode(to),
      ...(amount === 0 ? {} : { call_value: amount }),
    },
  };
}

function toInfo(id: string, { status, logs, gasUsed, contractAddress, to }: Json): Json {
  const isSuccess = status === '0x1';
  return {
    id,
    fee: Number(gasUsed) * 100,
    contractResult: [''],
    receipt: {
      result: isSuccess ? 'SUCCESS' : 'REVERT',
      energy_usage_total: Number(gasUsed),
      net_usage: 345,
    },
    ...(isSuccess ? {} : { result: 'FAILED', resMessage: toHexText('REVERT opcode executed') }),
    ...(contractAddress || to ? { contract_address: toNode(contractAddress ?? to) } : {}),
    ...(logs.length === 0
      ? {}
      : {
          log: logs.map(({ address, topics, data }: Json) => ({
            address: address.slice(2),
            topics: topics.map((topic: string) => topic.slice(2)),
            ...(data === '0x' ? {} : { data: data.slice(2) }),
          })),
        }),
  };
}

const toHex = (number: number) => `0x${number.toString(16)}`;
const toHexText = (text: string) => Buffer.from(text).toString('hex');
const toNode = (address: string) => `41${address.slice(2).toLowerCase()}`;
const toAccount = (address: string) => `0x${address.slice(2)}`;
const toId = (number: unknown, hash: string) =>
  `${Number(number).toString(16).padStart(16, '0')}${hash.slice(-48)}`;
const systemId = (hash: string, index: number) =>
  `0x${(index + 1).toString(16).padStart(8, '0')}${hash.slice(10)}`;

/** The members of a protocol buffer: numbers, and everything else as bytes. */
function readMembers(bytes: Uint8Array): Map<number, bigint | Uint8Array> {
  const members = new Map<number, bigint | Uint8Array>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const value = varint();
    if (tag % 8 === 0) members.set(tag >> 3, value);
    else {
      members.set(tag >> 3, bytes.subarray(at, at + Number(value)));
      at += Number(value);
    }
  }
  return members;
}
