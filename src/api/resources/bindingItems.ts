import { Id, nullable, Text, TextMap } from '../schema.ts';
import { nestedCommon } from './common.ts';

export const scriptFilter = nullable(
  Text(
    'Expression over the alert `e` and the action `a` that decides whether the action fires; always if null.',
    'e.severity >= 0.7',
    { max: 10_000 },
  ),
);
export const scriptParams = TextMap('Function parameter name to the expression that yields its value.', {
  to: 'e.meta.from',
});
export const tenantDestinationId = Id('The destination to bind.');
export const bindingId = { ...nestedCommon, id: Id('The binding; leave it out to add one.') };
