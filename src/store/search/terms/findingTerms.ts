import type { Finding } from '../../../model/alert.ts';
import type { Db, Store } from '../../db/db.ts';
import { alertTerms, flagTerms } from './alertTerms.ts';
import {
  addKnown,
  createKnownWords,
  createWordList,
  insertWords,
  type KnownWords,
  type Word,
} from './alertWords.ts';
import type { IndexedTexts } from './indexTexts.ts';

/** `unsaved` are words that the transaction that raises the finding has to add to the dictionary. */
type Prepared = { terms: IndexedTexts; unsaved: readonly Word[] };

const preparedTerms = new WeakMap<Finding, Prepared>();
const knownByStore = new WeakMap<Store, KnownWords>();
/** Words that a transaction has added to the dictionary, or is about to add. */
const takenBy = new WeakMap<Db, Set<readonly Word[]>>();
const committed = new WeakSet<readonly Word[]>();

/**
 * Works out the terms of findings and adds their words outside the raising transaction, so that no other waits and a
 * rollback keeps them. Where connections are scarce, or on request (`rememberWords`), that transaction adds them.
 */
export async function prepareTerms(
  store: Store,
  findings: readonly Finding[],
  areWordsDeferred = false,
): Promise<void> {
  const knownWords = knownOf(store);
  const words = await prepare(
    areWordsDeferred ? findings.filter((finding) => !preparedTerms.has(finding)) : findings,
    knownWords,
  );
  if (words.length === 0 || areWordsDeferred || store.stats().waiting > 0) return;
  await store.transaction((tx) => insertWords(tx, words));
  addKnown(knownWords, words);
  for (const finding of findings) {
    const { terms } = preparedTerms.get(finding)!;
    preparedTerms.set(finding, { terms, unsaved: [] });
  }
}

/** Adds the words of findings that are not in the dictionary yet. */
export async function saveWords(tx: Db, findings: readonly Finding[]): Promise<void> {
  await insertWords(tx, await takeWords(tx, findings));
}

/** The words of findings that are not in the dictionary yet, once in a transaction, which has to add them. */
export async function takeWords(tx: Db, findings: readonly Finding[]): Promise<readonly Word[]> {
  await prepare(findings.filter((finding) => !preparedTerms.has(finding)));
  const taken = takenBy.get(tx) ?? new Set();
  takenBy.set(tx, taken);
  const lists = new Set(findings.map((finding) => preparedTerms.get(finding)!.unsaved));
  const words = [...lists].filter((list) => !taken.has(list) && !committed.has(list)).flat();
  for (const list of lists) taken.add(list);
  return words;
}

/** After the transaction is committed: its words are not written again. */
export function rememberWords(store: Store, tx: Db): void {
  for (const words of takenBy.get(tx) ?? []) {
    addKnown(knownOf(store), words);
    committed.add(words);
  }
}

function knownOf(store: Store): KnownWords {
  const knownWords = knownByStore.get(store) ?? createKnownWords();
  knownByStore.set(store, knownWords);
  return knownWords;
}

/** The finding as a suppressed one, for which nothing is worked out or saved again. */
export function suppress(finding: Finding): Finding {
  const suppressed = { ...finding, suppressed: true };
  const prepared = preparedTerms.get(finding);
  if (prepared) {
    const { odd, terms } = prepared.terms;
    const all = new Set([...terms, ...flagTerms(finding.tenantId, 'suppressed')]);
    preparedTerms.set(suppressed, { ...prepared, terms: { odd, terms: all } });
  }
  return suppressed;
}

/** The terms of a finding, from where they were worked out already. */
export async function findingTerms(finding: Finding): Promise<IndexedTexts> {
  return preparedTerms.get(finding)?.terms ?? alertTerms(finding);
}

/** A list of words for each tenant, because alerts of different tenants may be written by different transactions. */
async function prepare(findings: readonly Finding[], knownWords?: KnownWords): Promise<readonly Word[]> {
  const lists = new Map<number, ReturnType<typeof createWordList>>();
  for (const finding of findings) {
    const list = lists.get(finding.tenantId) ?? createWordList(knownWords);
    lists.set(finding.tenantId, list);
    const terms = await alertTerms(finding, list.noteAlert(finding.tenantId, finding.timestamp));
    preparedTerms.set(finding, { terms, unsaved: list.words });
  }
  return Array.from(lists.values(), ({ words }) => words).flat();
}
