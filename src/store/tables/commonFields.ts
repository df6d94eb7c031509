import { statuses } from '../../model/enumerations.ts';
import { Id, Millis, OneOf, Text, TextMap } from '../../model/schema.ts';
import { editable, readOnly } from './fields.ts';

export const idField = readOnly(Id('Unique identifier of the record.'), { notNull: true });
export const timeFields = {
  createdAt: readOnly(Millis('When the record was created.'), { notNull: true }),
  updatedAt: readOnly(Millis('When the record last changed.'), { notNull: true }),
};
/** Records are deleted by DELETE; ACTIVE and DISABLED can be set. */
export const statusField = editable(OneOf(statuses, 'State of the record.', 'ACTIVE'), { default: 'ACTIVE' });

export const tenantId = Id('The owning tenant; your own if left out.');

/** Columns of records that do not show them. */
export const searchedTenant = { tenantId: { type: 'integer' } } as const;
export const searchedStatus = { status: { type: 'string' } } as const;

/** Members of every item of a binding. */
export const bindingFields = {
  id: editable(Id('The binding; leave it out to add one.'), { notNull: true }),
  ...timeFields,
};
/** The state of an item, which Vigil sets. */
export const bindingStatus = readOnly(statusField.schema, { notNull: true });

/** Steps that people take about an alert, in the words of the tenant. */
export const guidanceFields = {
  runbookUrl: editable(
    Text(
      'Address of the page that says what to do about its alerts; every message about them has it.',
      'https://wiki.example.com/runbooks/vault',
      {
        max: 2000,
        format: 'webAddress',
      },
    ),
    { detail: true },
  ),
  nextSteps: editable(
    Text(
      'What to do about its alerts, in place of what Vigil says; every message about them has it.',
      'Call the desk, then pause the vault.',
      {
        max: 2000,
      },
    ),
    { detail: true },
  ),
} as const;

export const scriptFields = {
  scriptFilter: editable(
    Text(
      'Expression over the alert `e` and the action `a` that decides whether the action fires; always if null.',
      'e.numericSeverity >= 70',
      { max: 10_000 },
    ),
  ),
  scriptParams: editable(
    TextMap('Function parameter name to the expression that yields its value.', { to: 'e.meta.from' }),
    { notNull: true },
  ),
};
