import { severities } from '../../../model/enumerations.ts';
import { Id, nullable, OneOf, Text, TextMap } from '../../http/schema.ts';
import { nestedCommon } from './common.ts';

export const scriptFilter = nullable(
  Text(
    'Expression over the alert `e` and the action `a` that decides whether the action fires; always if null.',
    'e.numericSeverity >= 70',
    { max: 10_000 },
  ),
);
export const scriptParams = TextMap('Function parameter name to the expression that yields its value.', {
  to: 'e.meta.from',
});
/** What binds a destination; the filters are read back at `GET /destination/{id}/binding`. */
export const destinationBinding = {
  tenantDestinationId: Id('The destination to bind.'),
  minSeverity: nullable(OneOf(severities, 'Only alerts that are at least this bad; all if null.', 'HIGH')),
  query: nullable(
    Text('Only alerts that this query string finds; all if null.', 'severity:CRITICAL AND tags:treasury', {
      max: 10_000,
    }),
  ),
};
export const bindingId = { ...nestedCommon, id: Id('The binding; leave it out to add one.') };
