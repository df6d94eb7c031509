import { type ChainUid, getChain } from '../../chains/chains.ts';
import { shownAddress } from '../../chains/shownAddress.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import { createBriefCache } from '../../lib/createBriefCache.ts';
import { nearest } from '../../lib/nearest.ts';
import { invalid } from '../../model/errors.ts';
import type { Scope } from '../../model/principal.ts';
import {
  findSampleSource,
  type Sampled,
  type SampleSource,
  sampleMembers,
  sampleValues,
} from '../../store/alerts/sampleAlerts.ts';
import { nameAddresses } from '../../store/labels/nameAddresses.ts';
import { suggestRecords } from '../../store/records/suggestRecords.ts';
import { alertTable } from '../../store/search/documents/alertTable.ts';
import type { Call } from '../call.ts';
import { listSignatures } from '../contracts/listSignatures.ts';
import { readLabelAddress } from '../labels/labelMembers.ts';
import { alertShape } from '../records/alertShape.ts';

export type Suggestion = { value: string; type: string; label: string | null; count: number | null };

/** Maximum age of a sample, and number of samples. */
const sampleMs = 10_000;
const maxSamples = 500;
const maxAddresses = 50;

/** Suggestions for a typed text, within the scope; samples are cached for a moment. */
export function createSuggestions() {
  const samples = createBriefCache<Sampled[] | undefined>(sampleMs, maxSamples);
  const cached = (source: SampleSource, name: string, load: () => Promise<Sampled[] | undefined>) =>
    samples(`${name} ${JSON.stringify(source)}`, load);

  return {
    /** Fields of a query string with their types, and members of `meta` that the newest alerts have. */
    async fields({ services: { reports } }: Call, scope: Scope): Promise<Suggestion[]> {
      const source = await findSampleSource(reports, scope);
      const members = (await cached(source, 'members', () => sampleMembers(reports, source))) ?? [];
      return [
        ...Array.from(alertTable.mapping.fields.values(), ({ name, type }) => toSuggestion(name, type)),
        ...members.map(({ value, count }) => {
          const index = value.lastIndexOf(' ');
          const type = memberTypes[value.slice(index + 1)] ?? 'object';
          return toSuggestion(`meta.${value.slice(0, index)}`, type, null, count);
        }),
      ];
    },

    /** The most frequent values of a field; of one that can have only a few, all; of one with ids, the records. */
    async values(
      { services: { reports } }: Call,
      scope: Scope,
      field: string,
      text: string,
      size: number,
    ): Promise<Suggestion[]> {
      const source = await findSampleSource(reports, scope);
      const values = await cached(source, `values ${field}`, () => sampleValues(reports, source, field));
      if (!values) throw unknownField(field);
      const counts = new Map(values.map(({ value, count }) => [value, count]));
      const frequent = values.slice(0, maxFrequent).map(({ value }) => Number(value));
      const records = await suggestRecords(reports, scope, field, text, frequent, size);
      if (records)
        return records.map(({ id, name }) =>
          toSuggestion(String(id), 'record', name, counts.get(String(id)) ?? 0),
        );
      const shape = alertShape(undefined).members[field];
      const words = shape?.type === 'text' ? (shape.words ?? []) : [];
      return [
        ...values.map(({ value, count }) => toSuggestion(value, 'value', null, count)),
        ...words.filter((word) => !counts.has(word)).map((word) => toSuggestion(word, 'value', null, 0)),
      ];
    },

    async signatures(call: Call, contractId: number): Promise<Suggestion[]> {
      const { functions, events } = await listSignatures(call, contractId);
      return [
        ...functions.map((signature) => toSuggestion(signature, 'function')),
        ...events.map((signature) => toSuggestion(signature, 'event')),
      ];
    },

    /** Names of addresses: own contracts and wallets, and labels. */
    async labels(
      { services: { reports } }: Call,
      scope: Scope,
      chainUid: ChainUid | null,
      text: string,
    ): Promise<Suggestion[]> {
      const addresses = text.split(',').map((part) => part.trim());
      if (addresses.length > maxAddresses)
        throw invalid('/query/address', 'too-many', `must name at most ${maxAddresses} addresses.`);
      const canonical = addresses.map((address) => {
        const read = readLabelAddress(address, chainUid);
        if ('fault' in read) throw invalid('/query/address', 'not-an-address', read.fault);
        return read.canonical;
      });
      const chain = getChain(chainUid ?? 'ethereum');
      // Contracts are known by the form that matching uses, all else by that which people know.
      const { canonical: toCanonical } = toChainFacts(chain);
      const forms = [...new Set([...canonical, ...canonical.map(toCanonical)])];
      const named = await nameAddresses(reports, scope, chainUid, forms);
      return named.map(({ address, type, name }) =>
        toSuggestion(shownAddress(chain, toCanonical(address)), type, name),
      );
    },
  };
}

/** Records that are named before the others, because alerts have them most often. */
const maxFrequent = 100;

/** The type of a member of `meta`, by what JSON calls it. */
const memberTypes: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'double',
  boolean: 'boolean',
};

function toSuggestion(
  value: string,
  type: string,
  label: string | null = null,
  count: number | null = null,
): Suggestion {
  return { value, type, label, count };
}

function unknownField(field: string) {
  const closest = nearest(field, alertTable.mapping.fields.keys());
  const advice = closest
    ? `did you mean ${closest}?`
    : '`of=field` lists them, and members of `meta` are written `meta.name`.';
  return invalid('/query/field', 'unknown-field', `is no field of alerts; ${advice}`);
}
