import { findChain } from '../../chains/chains.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import { native, showAmount } from '../../evidence/amounts.ts';
import { isAddressText, showMoment, tokenIn, unitsIn } from '../../evidence/memberForms.ts';
import { harmless } from '../../lib/harmless.ts';
import { fillTemplate, memberOf, type TemplateMember, templateMembersOf } from '../../lib/template.ts';
import { settleWithin } from '../../lib/withTimeLimit.ts';
import { namedFields } from '../../matching/namedFields.ts';
import { templateValues } from '../../matching/templateValues.ts';
import { templateMembers } from '../../model/alert.ts';
import { Problem } from '../../model/errors.ts';
import { invalidInput } from '../../model/validate.ts';
import { findAlert } from '../../store/alerts/alertRecords.ts';
import { findIncidentContracts } from '../../store/alerts/incidentStory.ts';
import { nameAddresses } from '../../store/labels/nameAddresses.ts';
import { ownTenantsScope } from '../../store/search/documents/documentScopes.ts';
import type { Call } from '../call.ts';
import { templateFaults } from '../records/templateFaults.ts';
import { partiesOf } from './partiesOf.ts';
import { readTokens, type TokenNaming } from './readTokens.ts';

const names = [...templateMembers, 'uid', 'tenantId', 'meta'];
const patienceMs = 3000;
const maxMembers = 20;

type Found = Readonly<Record<string, unknown>>;

/** The message that a template makes of an alert. US dollars stand as amounts: their price is that of the moment of an alert. */
export async function previewMessage(
  call: Call,
  uid: string,
  template: string,
): Promise<{ message: string }> {
  const alert = await findAlert(call.db, ownTenantsScope(call.scope), uid, names);
  if (!alert) throw new Problem('not-found', 'There is no such alert.');
  const { meta, tenantId, ...members } = alert;
  const fields: Found = { ...Object(meta) };
  const faults = templateFaults(template, [...Object.keys(fields), ...templateMembers], '/template');
  if (faults.length > 0) throw invalidInput(faults);
  const shown = await showAll(call, Number(tenantId), members, fields, template);
  const values = templateValues(namedFields(template, fields), undefined);
  const message = fillTemplate(template, { ...members, ...values }, ({ text }) => shown.get(text));
  return { message };
}

async function showAll(
  call: Call,
  tenantId: number,
  members: Found,
  fields: Found,
  template: string,
): Promise<ReadonlyMap<string, string>> {
  const wanted = templateMembersOf(template)
    .filter(({ format }) => format !== undefined)
    .slice(0, maxMembers);
  const [contract] = await findIncidentContracts(call.db, { tenantId }, [Number(members.contractId)]);
  const { chainUid } = members;
  const chain = findChain(typeof chainUid === 'string' ? chainUid : (contract?.chainUid ?? ''));
  if (wanted.length === 0 || !chain || !contract) return new Map();
  const facts = toChainFacts(chain);
  const origin = { contract, chain: facts };
  const memberIn = ({ name }: TemplateMember) => memberOf({ ...members, ...fields }, name);
  const addresses = wanted
    .map(memberIn)
    .filter(isAddressText)
    .map((value) => facts.canonical(value));
  const parties = partiesOf(await nameAddresses(call.db, call.scope, chain.uid, addresses));
  const tokens = wanted
    .filter(({ format }) => format === 'token' || format === 'usd')
    .map(({ argument }) => tokenIn(fields, argument, origin));
  const namings = await nameTokens(call, chain.uid, [...new Set(tokens)]);
  namings.set(native, { ...chain.currency, isFungible: true });
  const show = (member: TemplateMember): string | undefined => {
    const value = memberIn(member);
    if (member.format === 'time') return showMoment(value);
    if (member.format === 'label') {
      const address = isAddressText(value) ? facts.canonical(value) : undefined;
      const party = parties.find((one) => one.address === address);
      if (!party) return address;
      return party.type === 'label' ? `${harmless(party.name, 60)} (${address})` : harmless(party.name, 60);
    }
    const units = unitsIn(value);
    const naming = namings.get(tokenIn(fields, member.argument, origin));
    if (units === undefined || !naming) return undefined;
    return showAmount(units, { symbol: naming.symbol ?? '', decimals: naming.decimals }).trim();
  };
  return new Map(
    wanted.flatMap((member): [string, string][] => {
      const text = show(member);
      return text === undefined ? [] : [[member.text, text]];
    }),
  );
}

/** Without an answer of the nodes amounts stand as they are. */
async function nameTokens(
  { services }: Call,
  chainUid: Parameters<Call['services']['chains']['client']>[0],
  tokens: readonly string[],
): Promise<Map<string, TokenNaming>> {
  const client = services.chains.client(chainUid);
  const contracts = tokens.filter((token) => token !== native);
  if (!client || contracts.length === 0) return new Map();
  const read = async () => {
    const head = await client.header('latest');
    return head ? readTokens(services, client, head, contracts) : undefined;
  };
  const found = await settleWithin(
    patienceMs,
    read().catch(() => undefined),
    () => undefined,
  );
  return found ?? new Map();
}
