import { beginningTerm } from './beginningTerm.ts';

/** The terms by which a tag is found. Its beginning stays when it goes: another tag may begin alike. */
export function tagTerms(tag: string): string[] {
  const beginning = beginningTerm(tag);
  return beginning === undefined ? [tag] : [tag, beginning];
}
