import type { Json } from '../startTestApi.ts';

/** What each call of a contract takes beside the fee, in stroops. */
export const resourceFee = 50_000;

/** How an operation that fails ends, as results say it. */
export class OperationFailed extends Error {
  readonly result: Json;
  constructor(result: Json, message = JSON.stringify(result)) {
    super(message);
    this.result = result;
  }
}

export type Applied = {
  result: Json;
  changes: Json[];
  events: Json[];
  value: Json | string;
  keys: Json[];
  auth: Json[];
};
