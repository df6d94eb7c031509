import { Type } from 'typebox';
import { Count, List, OneOf, Shape, Text } from '../../../model/schema.ts';
import { type ImportRequest, runLabelImport } from '../../../services/labels/runLabelImport.ts';
import { labelTable } from '../../../store/tables/labelTable.ts';
import { endpoint } from '../../http/endpoint.ts';

const { tenantId, chainUid, tags, source } = labelTable.fields;
const bodyLimit = 16 * 1024 * 1024;

export const labelImportEndpoint = endpoint({
  method: 'POST',
  path: '/label/import',
  tag: 'Labels',
  summary: 'Import labels from CSV',
  description:
    'The first line of `csv` names the columns: address and any of chainUid, name, tags (parted by `;`), score, source, note. ' +
    'A label that exists already, by chain, address and source, takes over the columns that the text has. ' +
    'A line with a fault refuses the whole text, unless `partial` is true, and so do more than 10,000 of them in any case. Up to 16 MiB; `vigil import labels` takes files of any size.',
  query: Shape(
    {
      partial: OneOf(
        ['true', 'false'],
        'Whether to take the good lines although others have faults.',
        'true',
      ),
    },
    [],
  ),
  body: Type.Unsafe<ImportRequest>(
    Shape(
      {
        csv: Type.String({
          // Without limits, which count the characters of a long text one by one; reading it refuses an empty one.
          description: 'The comma-separated text.',
          examples: [
            'address,name,tags\n0x8589427373d6d84e98730d7795d8f6f8731fda16,Mixer router,MIXER;SANCTION\n',
          ],
        }),
        tenantId: tenantId.schema,
        chainUid: chainUid.schema,
        tags: tags.schema,
        source: source.schema,
      },
      ['csv'],
    ),
  ),
  isImport: true,
  bodyLimit,
  reply: Shape(
    {
      created: Count('How many labels are new.', 1),
      updated: Count('How many labels changed.', 0),
      unchanged: Count('How many lines said what was known already.', 0),
      faultCount: Count('How many lines were left out because of a fault.', 0),
      faults: List(
        Shape(
          {
            line: Count('The line, counted from 1.', 2),
            message: Text('The fault.', 'address is missing.', { max: 20_000 }),
          },
          ['line', 'message'],
        ),
        'The first 100 of these lines.',
      ),
    },
    ['created', 'updated', 'unchanged', 'faultCount', 'faults'],
  ),
  effect: 'change',
  problems: ['unprocessable', 'plan-limit'],
  handle: async (call, { body, query }) => ({
    body: await runLabelImport(call, body, query.partial === 'true'),
  }),
});
