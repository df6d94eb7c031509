import type { ChainClient } from '../../chains/chainClient.ts';

/** Balances of the chain's own currency after its newest block, all of the same block. */
export async function readBalances(
  client: ChainClient,
  addresses: readonly string[],
): Promise<{ block: number; balances: bigint[] }> {
  const head = await client.header('latest');
  if (!head) throw new Error('The chain has no newest block.');
  const answers = await client.readState(
    head,
    addresses.map((address) => ({ type: 'balance', address })),
  );
  const balances = answers.map((answer) => {
    if ('value' in answer && typeof answer.value === 'bigint') return answer.value;
    throw new Error(`A balance is missing: ${'missing' in answer ? answer.missing : 'it is no number'}.`);
  });
  return { block: head.number, balances };
}
