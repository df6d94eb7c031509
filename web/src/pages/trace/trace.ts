import type { ReplyOf } from '../../../../sdk/src/index.ts';

export type Trace = ReplyOf<'GET', '/alert/{uid}/trace'>;
export type Party = Trace['parties'][number];
export type Frame = Trace['frames'][number];
