import { heartbeatParts } from '../../../model/heartbeat.ts';
import { Count, Flag, List, Millis, nullable, OneChain, OneOf, Shape, Text } from '../../../model/schema.ts';
import { readHeartbeat } from '../../../store/telemetry/heartbeat.ts';
import { endpoint } from '../../http/endpoint.ts';

const fault = {
  part: OneOf(heartbeatParts, 'The part that does not work.', 'chain'),
  chainUid: nullable(OneChain('The chain, where it is one.')),
  message: Text('Why.', 'No process follows Ethereum.'),
};

const members = {
  isOk: Flag('Whether chains are followed and queues move.'),
  since: nullable(Millis('Since when it is as it is; null before any process has judged.')),
  checkedAt: nullable(Millis('When a process judged last.')),
  faults: List(Shape(fault, Object.keys(fault)), 'Everything that keeps the heartbeat from being sent.'),
  addresses: Count('How many addresses VIGIL_HEARTBEAT_URL has.', 1),
  sentAt: nullable(Millis('When they were called last.')),
  sendFault: nullable(
    Text('Why an address did not take the last call.', 'https://hc-ping.example.com answered 500.'),
  ),
};

export const heartbeatEndpoint = endpoint({
  method: 'GET',
  path: '/heartbeat',
  tag: 'Usage and telemetry',
  summary: 'Read the heartbeat',
  description:
    'Whether the whole installation works, as its processes judge it: chains are followed, queues move, and the last canary came through the queue of deliveries. VIGIL_HEARTBEAT_URL is called only while `isOk` holds.',
  reply: Shape(members, Object.keys(members)),
  effect: 'read',
  handle: async (call) => ({ body: await readHeartbeat(call.db, call.now) }),
});
