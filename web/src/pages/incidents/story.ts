import type { ReplyOf } from '../../../../sdk/src/index.ts';

export type Story = ReplyOf<'GET', '/incident/{uid}/story'>;
export type Step = Story['timeline'][number];
export type StepAlert = NonNullable<Step['alert']>;
export type FlowNode = Story['flows']['nodes'][number];
export type FlowEdge = Story['flows']['edges'][number];
type StoryParty = Story['parties'][number];
export type Parties = ReadonlyMap<string, StoryParty>;

export const partiesOf = ({ parties }: Story): Parties =>
  new Map(parties.map((party) => [party.address, party]));
