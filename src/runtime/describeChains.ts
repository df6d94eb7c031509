import type { ChainClient } from '../chains/chainClient.ts';
import { chainUids } from '../chains/chains.ts';
import { cutText } from '../lib/cutText.ts';
import { onOneLine } from '../lib/onOneLine.ts';
import { settleWithin } from '../lib/withTimeLimit.ts';
import type { ChainAccess } from '../services/contracts/chainAccess.ts';

const soonMs = 2000;
const maxFault = 200;

/** Each chain with endpoints, and what these answer: `anvil (http://127.0.0.1:8545, head 134)`. */
export async function describeChains({ client: clientOf }: Pick<ChainAccess, 'client'>): Promise<string[]> {
  return Promise.all(chainUids.flatMap((uid) => clientOf(uid) ?? []).map(describe));
}

async function describe(client: ChainClient): Promise<string> {
  const reading = client.header('latest').then(
    (header) => header && `head ${header.number}`,
    // A failure is shown with its endpoint.
    () => null,
  );
  const head = await settleWithin(soonMs, reading, () => null);
  const endpoints = client
    .health()
    .map(({ endpoint, lastFault }) =>
      lastFault === null ? endpoint : `${endpoint}: ${cutText(onOneLine(lastFault), maxFault)}`,
    );
  const isFaulty = client.health().some(({ lastFault }) => lastFault !== null);
  return `${client.chainUid} (${[...endpoints, head ?? (isFaulty ? [] : 'no answer yet')].flat().join(', ')})`;
}
