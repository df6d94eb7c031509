import { Type } from 'typebox';
import { traceKinds } from '../../../chains/chainClient.ts';
import {
  Count,
  Flag,
  List,
  Millis,
  Name,
  nullable,
  OneOf,
  Shape,
  SomeOf,
  Text,
} from '../../../model/schema.ts';
import {
  createChainEndpoint,
  deleteChainEndpoint,
  listChainEndpoints,
  tryChainEndpoint,
  tryUrl,
  updateChainEndpoint,
} from '../../../services/contracts/chainEndpoints.ts';
import { endpointStatuses } from '../../../store/contracts/chainEndpoints.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';

const tag = 'Chains';
const maxBlock = Number.MAX_SAFE_INTEGER;
const chainUid = Text('The chain, as `/chain` names it.', 'anvil', { max: 100 });
const endpointUid = Text('The endpoint.', '0b8f6f0e-4a52-4a5e-9a32-6f1f2a3c4d5e', { max: 100 });
const ofChain = Shape({ uid: chainUid }, ['uid']);
const ofEndpoint = Shape({ uid: chainUid, endpointUid }, ['uid', 'endpointUid']);
const url = Text(
  'Address of a JSON-RPC server of the chain: http, https, ws or wss. Private networks are allowed.',
  'https://eth.example.com/v2/key',
  { min: 1, max: 2000 },
);
const written = {
  url,
  name: nullable(Name('What people call it.', 'Own node')),
  status: OneOf(endpointStatuses, 'Whether it is used.', 'ACTIVE'),
};
const shown = {
  uid: Text('The endpoint.', '0b8f6f0e-4a52-4a5e-9a32-6f1f2a3c4d5e'),
  name: nullable(Text('What people call it; of a fixed one its variable.', 'Own node')),
  url: Text('Its address; what may be an access key is masked.', 'https://eth.example.com/v2/[sealed]'),
  isFixed: Flag('Whether the environment sets it (`VIGIL_RPC_*`), so that it cannot be changed here.'),
  status: OneOf(endpointStatuses, 'Whether it is used.', 'ACTIVE'),
  createdAt: nullable(Millis('When it was added; null for a fixed one.')),
  updatedAt: nullable(Millis('When it last changed; null for a fixed one.')),
};
const shownReply = Shape(shown, Object.keys(shown));
const report = {
  fault: nullable(
    Text('Why it cannot be used for the chain; null when it can.', 'it serves the chain 5 and not 1'),
  ),
  chainId: nullable(Count('Chain id that it reports.', 1, maxBlock)),
  head: nullable(Count('Its newest block.', 21_000_000, maxBlock)),
  latencyMs: nullable(Count('How long it took to answer, in milliseconds.', 40)),
  archiveDepth: nullable(Count('It knows the state of at least this many blocks back.', 128, maxBlock)),
  isArchive: nullable(Flag('Whether it knows the state of every block.')),
  traces: nullable(
    SomeOf(traceKinds, 'The namespaces whose traces it gives; some detectors need `debug`.', ['debug']),
  ),
  pendingTransactions: nullable(Flag('Whether it announces transactions that wait to be mined.')),
  logRange: nullable(
    Count('Most blocks that one search for logs may span, as far as tried; 100,000 at most.', 10_000),
  ),
};
const reportReply = Shape(report, Object.keys(report));
const tried =
  'Takes at most 12 seconds and 20 calls; members that could not be found out in that time are null.';

/** The endpoints through which Vigil reads chains and sends transactions; for administrators alone. */
export const rpcEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/chain/{uid}/endpoint',
    tag,
    summary: 'List the endpoints of a chain',
    description: 'Those that the environment sets first, as fixed; then those that were added, oldest first.',
    params: ofChain,
    reply: Shape({ data: List(shownReply, 'The endpoints.') }, ['data']),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params }) => ({ body: { data: await listChainEndpoints(call, params.uid) } }),
  }),
  endpoint({
    method: 'POST',
    path: '/chain/{uid}/endpoint',
    tag,
    summary: 'Add an endpoint to a chain',
    description:
      'Every process uses it within a second, and follows the chain from then on if it had none. The endpoint is asked for its ' +
      'chain id first: one that does not answer or serves another chain is refused (422). The address is sealed.',
    params: ofChain,
    body: Type.Unsafe<{ url: string; name?: string | null; status?: 'ACTIVE' | 'DISABLED' }>(
      Shape(written, ['url']),
    ),
    reply: shownReply,
    status: 201,
    effect: 'create',
    problems: ['not-found', 'conflict', 'unprocessable'],
    handle: async (call, { params, body }) => ({ body: await createChainEndpoint(call, params.uid, body) }),
  }),
  endpoint({
    method: 'PUT',
    path: '/chain/{uid}/endpoint/{endpointUid}',
    tag,
    summary: 'Change an endpoint',
    description:
      'Members that are present change, the others stay. A new address is checked like that of a new endpoint; the masked one, ' +
      'sent back as it was read, keeps the stored one. One that the environment sets is refused (409).',
    params: ofEndpoint,
    body: Type.Unsafe<{ url?: string; name?: string | null; status?: 'ACTIVE' | 'DISABLED' }>(
      Shape(written, []),
    ),
    reply: shownReply,
    effect: 'change',
    problems: ['not-found', 'conflict', 'unprocessable'],
    handle: async (call, { params, body }) => ({
      body: await updateChainEndpoint(call, params.uid, params.endpointUid, body),
    }),
  }),
  endpoint({
    method: 'DELETE',
    path: '/chain/{uid}/endpoint/{endpointUid}',
    tag,
    summary: 'Delete an endpoint',
    description:
      'No process uses it any more within a second. Without its last endpoint a chain is not followed; with the next one Vigil ' +
      'goes on after the last block that it has processed.',
    params: ofEndpoint,
    reply: Shape({ uid: shown.uid }, ['uid']),
    effect: 'change',
    problems: ['not-found', 'conflict'],
    handle: async (call, { params }) => {
      await deleteChainEndpoint(call, params.uid, params.endpointUid);
      return { body: { uid: params.endpointUid } };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/chain/{uid}/endpoint/try',
    tag,
    summary: 'Try an endpoint before adding it',
    description: `Says what it can do, and changes nothing. ${tried}`,
    params: ofChain,
    body: Shape({ url }, ['url']),
    reply: reportReply,
    effect: 'send',
    problems: ['not-found', 'conflict'],
    handle: async (call, { params, body }) => ({ body: await tryUrl(call, params.uid, body.url) }),
  }),
  endpoint({
    method: 'POST',
    path: '/chain/{uid}/endpoint/{endpointUid}/try',
    tag,
    summary: 'Try an endpoint of a chain',
    description: `Says what it can do, also of one that the environment sets. ${tried}`,
    params: ofEndpoint,
    reply: reportReply,
    effect: 'send',
    problems: ['not-found', 'conflict'],
    handle: async (call, { params }) => ({
      body: await tryChainEndpoint(call, params.uid, params.endpointUid),
    }),
  }),
];
