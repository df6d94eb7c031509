import { invalid } from '../model/errors.ts';
import type { Row } from '../store/records.ts';
import type { Call } from './call.ts';
import type { Change } from './recordKind.ts';

type SubscriptionChange = Omit<Change, 'input'> & {
  input: { startDate?: number | null; expirationDate?: number | null };
};

export function prepareSubscription(call: Call, { input, current }: SubscriptionChange): Row {
  const startDate = input.startDate ?? current?.startDate ?? call.now;
  const expirationDate = input.expirationDate ?? current?.expirationDate;
  if (Number(expirationDate) <= Number(startDate)) {
    throw invalid('/expirationDate', 'order', 'must be later than `startDate`.');
  }
  call.services.forgetTokens();
  return { ...input, startDate };
}
