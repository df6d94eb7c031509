import { Type } from 'typebox';
import { Count, List, OneOf, Shape, Text } from '../../../model/schema.ts';
import { runSanctionsImport, type SanctionsRequest } from '../../../services/labels/runLabelImport.ts';
import { readSanctions } from '../../../services/labels/sanctions/readSanctions.ts';
import { labelTable } from '../../../store/tables/labelTable.ts';
import { endpoint } from '../../http/endpoint.ts';

const { tenantId, source } = labelTable.fields;
const Choice = (description: string) => OneOf(['true', 'false'], description, 'true');

export const sanctionsImportEndpoint = endpoint({
  method: 'POST',
  path: '/label/import/sanctions',
  tag: 'Labels',
  summary: 'Import a sanctions list',
  description:
    'The body is the file as it is published, up to 256 MiB: the OFAC SDN list (`sdn.xml`, `sdn_advanced.xml`, `sdn_enhanced.xml`, `sdn.csv`), the ' +
    'consolidated list of the EU (XML, CSV), the list of the UK (XML, CSV), or addresses alone (one a line, or a JSON array). ' +
    'Every address of a chain that Vigil knows becomes a label tagged SANCTION with a score of 100. The file replaces what was ' +
    'imported under the same source: labels of this source tagged SANCTION that it no longer has are deleted. A faulty address refuses the ' +
    'whole file, unless `partial` is true, and so do more than 10,000 of them in any case.',
  query: Type.Unsafe<SanctionsRequest>(
    Shape(
      {
        tenantId: tenantId.schema,
        source: source.schema,
        partial: Choice('True to import the good addresses although others have faults.'),
        dryRun: Choice('True to count the changes without making them.'),
      },
      [],
    ),
  ),
  file: {
    description: 'The file.',
    example: '0x8589427373d6d84e98730d7795d8f6f8731fda16\n',
    read: readSanctions,
  },
  isImport: true,
  reply: Shape(
    {
      format: Text('Name of the list format.', 'OFAC SDN (XML)', { max: 200 }),
      source: Text('The source of its labels.', 'OFAC SDN', { max: 200 }),
      created: Count('How many labels are new.', 1),
      updated: Count('How many labels changed.', 0),
      unchanged: Count('How many labels stay as they are.', 0),
      removed: Count('How many labels are deleted, because the list no longer has them.', 0),
      unsupported: List(
        Shape(
          {
            currency: Text('The code of the currency.', 'XMR', { max: 100 }),
            count: Count('How many addresses.', 3),
          },
          ['currency', 'count'],
        ),
        'Addresses of chains that Vigil does not watch.',
      ),
      faultCount: Count('How many addresses were left out because of a fault.', 0),
      faults: List(
        Text('Where, and what is wrong.', 'Line 7: …', { max: 20_000 }),
        'The first 100 of these.',
      ),
    },
    ['format', 'source', 'created', 'updated', 'unchanged', 'removed', 'unsupported', 'faultCount', 'faults'],
  ),
  effect: 'change',
  problems: ['unprocessable', 'plan-limit', 'too-large'],
  handle: async (call, { file, query }) => ({ body: await runSanctionsImport(call, query, file) }),
});
