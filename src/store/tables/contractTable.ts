import { Type } from 'typebox';
import { sql } from '../../lib/sql.ts';
import { addressTypes } from '../../model/enumerations.ts';
import { Flag, Icon, Id, Name, OneChain, OneOf, Text, Words } from '../../model/schema.ts';
import { actionTable } from './actionTable.ts';
import { idField, searchedStatus, searchedTenant, timeFields } from './commonFields.ts';
import { detectorTable } from './detectorTable.ts';
import { createOnly, editable, readOnly, writeOnly } from './fields.ts';
import { acceptedProjects, licensedProjects, tenantsOfOrganisations } from './fragments.ts';
import { plannedChangeTable } from './plannedChangeTable.ts';
import { byTenant, defineTable, within } from './table.ts';
import { tokenomicsCategoryTable } from './tokenomicsCategoryTable.ts';
import { triggerTable } from './triggerTable.ts';

export const contractTable = defineTable({
  kind: 'contract',
  name: 'contract',
  fields: {
    id: idField,
    ...timeFields,
    projectId: createOnly(Id('The owning project.'), { required: true }),
    chainUid: createOnly(OneChain('The chain.'), { required: true }),
    address: createOnly(
      Text(
        'Direct address of the contract, in the form of its chain.',
        '0xdAC17F958D2ee523a2206206994597C13D831ec7',
        { max: 200 },
      ),
      { required: true, isAddress: true },
    ),
    implementation: readOnly(
      Text(
        'Address of the implementation when the contract is a proxy, else null.',
        '0x0000000000000000000000000000000000000001',
      ),
      { isAddress: true },
    ),
    name: editable(Name('What to call it.', 'Vault token'), { required: true }),
    category: editable(Text('What sort of contract it is.', 'erc20', { max: 200 })),
    tags: editable(Words('Free labels.', ['token']), { default: [] }),
    addressType: editable(OneOf(addressTypes, 'What stands at the address.', 'CONTRACT'), {
      default: 'CONTRACT',
    }),
    amlRequired: editable(Flag('Whether the AML detector is required.'), { default: false }),
    icon: editable(Icon('URL of an icon.', 'https://example.com/token.png')),
    abi: writeOnly(
      Type.Unsafe<Record<string, unknown>[]>({
        type: 'array',
        items: { type: 'object', additionalProperties: true },
        maxItems: 10_000,
        description: 'Used as the main ABI even when the address is a proxy. Never shown.',
        examples: [
          [{ type: 'function', name: 'pause', inputs: [], outputs: [], stateMutability: 'nonpayable' }],
        ],
      }),
    ),
  },
  searched: { ...searchedTenant, ...searchedStatus },
  hidden: { canonicalAddress: 'string', abi: 'json', inspectedAt: 'integer', watchedFrom: 'integer' },
  // Contract-level authorization: who may see a project may see its contracts.
  visible: within(
    (scope) => sql`(t.tenant_id = any(${scope.tenantIds})
      or t.tenant_id = any(${tenantsOfOrganisations(scope)})
      or t.project_id = any(${acceptedProjects(scope)}) or t.project_id = any(${licensedProjects(scope)}))`,
  ),
  writable: byTenant,
  owns: () =>
    [detectorTable, triggerTable, actionTable, tokenomicsCategoryTable, plannedChangeTable].map((table) => ({
      table,
      column: 'contract_id',
      ofTenant: true,
    })),
  unique: {
    contract_address: {
      member: 'address',
      message: 'The project already watches this address on this chain.',
    },
  },
});
