import { createMatcher, type Matcher } from './createMatcher.ts';
import { createValuesOf, type Subject } from './createSubject.ts';
import type { Predicate } from './predicate.ts';

/** Decides what the matcher decides, awaiting `pause` between pieces of the work; for documents that are large. */
export type PacedMatcher = (subject: Subject, pause: () => Promise<void>) => Promise<boolean>;

export function createPacedMatcher(predicate: Predicate): PacedMatcher {
  if (predicate.type !== 'bool') return createPacedTest(predicate);
  const must = predicate.must.map(createPacedMatcher);
  const mustNot = predicate.mustNot.map(createPacedMatcher);
  // Beside something required, what is optional only matters where results are ranked.
  const should = must.length > 0 ? [] : predicate.should.map(createPacedMatcher);
  return async (subject, pause) => {
    for (const matches of must) if (!(await matches(subject, pause))) return false;
    for (const matches of mustNot) if (await matches(subject, pause)) return false;
    for (const matches of should) if (await matches(subject, pause)) return true;
    return should.length === 0;
  };
}

function createPacedTest(predicate: Predicate): PacedMatcher {
  const matches: Matcher = createMatcher(predicate);
  if (!('field' in predicate) || predicate.field.type !== 'text')
    return async (subject, pause) => {
      await pause();
      return matches(subject);
    };
  const valuesOf = createValuesOf(predicate.field);
  const needsWords = predicate.type !== 'exists';
  const isNumber = predicate.type === 'terms' && predicate.isNumber;
  return async (subject, pause) => {
    await pause();
    const values = valuesOf(subject);
    if (needsWords && values.strings.length > 0) {
      const { reading } = isNumber ? values.wordsBesideNumbers() : values.words();
      while (!reading.next().done) await pause();
    }
    return matches(subject);
  };
}
