import { Type } from 'typebox';
import { networkStatuses } from '../../../model/enumerations.ts';
import { finishProject, prepareProject } from '../../../services/contracts/shares.ts';
import { projectTable } from '../../../store/contracts/projectTable.ts';
import { fixed, given, output } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Icon, JsonObject, List, maxId, Name, OneOf, Text, Words } from '../../http/schema.ts';
import { idField, tenantId, timeFields } from '../records/common.ts';
import { instanceSchema } from '../scores/instance.ts';

export const project = defineResource({
  path: '/project',
  tag: 'Projects',
  noun: 'project',
  about:
    'A project holds the contracts that are watched together, and can be shared with other tenants for reading.',
  table: projectTable,
  owner: 'tenant',
  limit: 'maxProjects',
  fields: {
    id: idField,
    ...timeFields,
    tenantId: fixed(tenantId, { always: true }),
    name: given(Name('Name, unique in the tenant.', 'Vault'), { required: true }),
    legalName: given(Text('Legal name of the company behind it.', 'Vault Ltd')),
    description: given(Text('What the project is.', 'A yield vault.', { max: 10_000 })),
    icon: given(Icon('Address of an icon.', 'https://example.com/vault.png')),
    website: given(Text('Address of the website.', 'https://example.com', { max: 2000 })),
    networkStatus: given(OneOf(networkStatuses, 'Which kind of network it runs on.', 'TESTNET')),
    marketDataId: given(Text('Identifier of the project in an external market-data service.', 'vault-token')),
    params: given(
      JsonObject('Any parameters; tenants that it is shared with do not see the member `private`.', {
        tvlSource: 'oracle',
      }),
    ),
    tags: given(Words('Free labels.', ['defi']), { default: [] }),
    viewTenantIds: given(
      Type.Unsafe<number[]>({
        type: 'array',
        items: { type: 'integer', minimum: 1, maximum: maxId },
        uniqueItems: true,
        maxItems: 1000,
        description:
          'Tenants that may view the project, its contracts and their alerts once they have accepted (`/share`). They do not see each other here.',
        examples: [[]],
      }),
      { default: [] },
    ),
    licenses: output(List(instanceSchema, 'License instances of the project.'), { always: true }),
    type: given(Text('What sort of project it is.', 'vault', { max: 200 })),
    meta: given(
      JsonObject('Any further data; tenants that it is shared with do not see the member `private`.', {
        team: 'blue',
      }),
    ),
  },
  prepare: prepareProject,
  finish: finishProject,
});
