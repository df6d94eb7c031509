/** What a script may find in one of its values; `any` where it is known only when something happens. */
export type ValueShape =
  | { readonly type: 'any' | 'flag' | 'list' }
  | {
      readonly type: 'text';
      /** Every value that it can have. */
      readonly words?: readonly string[];
      /** The member that has the same as a number, and the number of each word. */
      readonly number?: { readonly member: string; readonly of: Readonly<Record<string, number>> };
    }
  | { readonly type: 'number'; readonly numbers?: readonly number[] }
  | RecordShape;

export type RecordShape = {
  readonly type: 'record';
  readonly members: Readonly<Record<string, ValueShape>>;
};

export const anything: ValueShape = { type: 'any' };

export function toRecord(members: RecordShape['members']): RecordShape {
  return { type: 'record', members };
}

/** What a script gets wrong about its values. A mistake that is certain is a fault; one that may be meant is not. */
export type Mistake = { message: string; isFault: boolean };
