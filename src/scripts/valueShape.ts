/** Shape of one of a script's values; `any` where it is known only at run time. */
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

/** A mistake of a script about its values: a fault if it is certain. */
export type Mistake = { message: string; isFault: boolean };
