import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import recorded from '../../../testing/recorded/javaTron.json' with { type: 'json' };
import { startAnvil } from '../../../testing/startAnvil.ts';
import { startTron } from '../../../testing/startTron.ts';
import { amountOf } from './amountOf.ts';
import { decodeBlock } from './decodeBlock.ts';
import { encodeTransaction } from './encodeTransaction.ts';
import { fromNode, showAddress } from './tronAddress.ts';

const me = '0x928c9af0651632157ef27a2cf17ca72c575a4d21';
const bob = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a';
const token = '0x5156b5c6a427192e356fc0ff1c160e9a85d243e8';
const decode = ({ block, infos }: { block: unknown; infos: unknown }) => decodeBlock('tron', block, infos, 0);

describe('recorded blocks of java-tron', () => {
  it('give coins, calls, creations and what they came to', () => {
    const [paid, made] = decode(recorded[17]).transactions;
    expect(paid).toMatchObject({ from: me, to: bob, value: 1_500_000n, input: '0x', callKey: '0x' });
    expect(paid?.transfers).toEqual([{ asset: 'native', from: me, to: bob, amount: 1_500_000n }]);
    expect(made).toMatchObject({ from: me, to: null, value: 0n });
    const { transactions, receiptOf, logs } = decode(recorded[18]);
    expect(transactions.map(({ to, callKey }) => [to, callKey])).toEqual([
      [token, '0xa9059cbb'],
      [token, '0xf2fde38b'],
      [token, '0x101e8952'],
      [me, 'FreezeBalanceV2Contract'],
      [token, '0xa9059cbb'],
      [me, 'AssetIssueContract'],
    ]);
    expect(transactions[2]?.value).toBe(777n);
    expect(logs.map(({ address, index, transactionIndex }) => [address, index, transactionIndex])).toEqual([
      [token, 0, 0],
      [token, 1, 1],
    ]);
    expect(logs[1]?.parties).toEqual([me, bob]);
    expect(transactions.map(({ hash }) => receiptOf?.(hash)?.isSuccess)).toEqual([
      true,
      true,
      true,
      true,
      false,
      true,
    ]);
    expect(receiptOf?.(transactions[0]!.hash)).toMatchObject({ used: 28_661n, price: 100n });
    expect(recorded[18].shownLogs[0]).toEqual([showAddress(token)]);
  });

  it('give TRC-10 tokens by their id, and who may act for an account', () => {
    const [asset, delegation] = decode(recorded[20]).transactions;
    expect(asset?.transfers).toEqual([{ asset: '1000001', from: me, to: bob, amount: 7n }]);
    expect(delegation).toMatchObject({ from: me, to: bob, callKey: 'DelegateResourceContract' });
    const [update] = decode(recorded[34]).transactions;
    expect(update?.changes).toEqual([
      { subject: me, what: 'owner', after: me, position: 0 },
      { subject: me, what: 'permission', part: 'permission witness', after: me, position: 1 },
      {
        subject: me,
        what: 'permission',
        part: 'permission active0',
        after: `2 of ${me} (1), ${bob} (1)`,
        position: 2,
      },
    ]);
  });

  it('are refused without all outcomes, with those of another block, or under another number', () => {
    const { block, infos } = recorded[18];
    expect(() => decode({ block, infos: infos.slice(1) })).toThrow('5 of 6 transactions have an outcome');
    expect(() => decode({ block: recorded[17].block, infos: infos.slice(0, 2) })).toThrow('of another block');
    expect(() => decode({ block: { ...block, blockID: recorded[17].block.blockID }, infos })).toThrow(
      'names another block',
    );
  });
});

it('is stood in for by a node whose answers have the same members', async () => {
  const anvil = await startAnvil();
  const tron = await startTron(anvil);
  try {
    const [from, to] = anvil.accounts;
    await anvil.send({ from, to, value: 5n });
    const answer = {
      block: await tron.getBlock({ id_or_num: '1', detail: true }),
      infos: await tron.getInfos({ num: 1 }),
    };
    const real = recorded[17];
    const members = (value: unknown) => Object.keys(value as object).sort();
    expect(members(answer.block)).toEqual(members(real.block));
    expect(members(answer.block.block_header.raw_data)).toEqual(members(real.block.block_header.raw_data));
    expect(members(answer.block.transactions[0])).toEqual(members(real.block.transactions[0]));
    expect(members(answer.block.transactions[0].raw_data)).toEqual(
      members(real.block.transactions[0]!.raw_data),
    );
    expect(members(answer.infos[0])).toEqual(expect.arrayContaining(members(real.infos[0])));
    expect(decode(answer).transactions[0]).toMatchObject({ from, to, value: 5n });
  } finally {
    await tron.stop();
    await anvil.stop();
  }
});

it('encodes transactions to the bytes and ids that java-tron has', () => {
  const sent = [...recorded[17].block.transactions, ...recorded[18].block.transactions].flatMap(
    ({ txID, raw_data: raw, raw_data_hex: hex }) => {
      const [{ type, parameter } = { type: '', parameter: { value: {} } }] = raw.contract;
      const value: Record<string, unknown> = parameter.value;
      const owner = fromNode(value.owner_address);
      const contract =
        type === 'TransferContract'
          ? ({ type, owner, to: fromNode(value.to_address), amount: amountOf(value.amount) } as const)
          : type === 'TriggerSmartContract'
            ? ({
                type,
                owner,
                contract: fromNode(value.contract_address),
                value: amountOf(value.call_value),
                data: `0x${String(value.data)}`,
              } as const)
            : undefined;
      if (!contract) return [];
      const encoded = encodeTransaction({
        refBlockBytes: raw.ref_block_bytes,
        refBlockHash: raw.ref_block_hash,
        expiration: raw.expiration,
        timestamp: raw.timestamp,
        contract,
        feeLimit: amountOf('fee_limit' in raw ? raw.fee_limit : undefined),
      });
      expect(bytesToHex(encoded.rawData)).toBe(hex);
      return [[encoded.id, txID]];
    },
  );
  expect(sent).toHaveLength(5);
  for (const [ours, theirs] of sent) expect(ours).toBe(theirs);
});
