import type { Fault } from '../../model/errors.ts';
import { type LicenseTerms, readLicenseTerms } from '../../model/licenseTerms.ts';
import { invalidInput } from '../../model/validate.ts';
import { findMistakes } from '../../scripts/findMistakes.ts';
import { anything } from '../../scripts/valueShape.ts';
import type { Call } from '../call.ts';
import { scoreEventShape } from '../records/alertShape.ts';
import { scriptFaults } from '../records/scriptFaults.ts';

type LicenseScripts = {
  params?: string | null | undefined;
  groupScript?: string | null | undefined;
  scoreScript?: string | null | undefined;
};

/** Checks params and scripts on save, so that their author sees a fault before the first alert. */
export async function checkLicense(
  call: Call,
  proposed: LicenseScripts,
  current?: LicenseScripts,
): Promise<LicenseTerms> {
  const terms = readTerms(proposed.params);
  const unreadable = await scriptFaults(call, [
    { pointer: '/groupScript', source: proposed.groupScript },
    { pointer: '/scoreScript', source: proposed.scoreScript },
  ]);
  const faults = [
    ...('message' in terms ? [terms] : []),
    ...unreadable,
    ...(['groupScript', 'scoreScript'] as const).flatMap((name) =>
      // A script saved before a check existed may be sent back.
      proposed[name] === current?.[name] ? [] : mistakesOf(call, name, proposed[name]),
    ),
  ];
  if ('message' in terms || faults.length > 0) throw invalidInput(faults);
  return terms;
}

function mistakesOf(
  call: Call,
  name: 'groupScript' | 'scoreScript',
  source: string | null | undefined,
): Fault[] {
  const values = { e: scoreEventShape, l: anything, s: anything };
  const scored = { ...values, group: anything, score: { type: 'number' as const } };
  return findMistakes(source ?? '', name === 'groupScript' ? values : scored).flatMap(
    ({ message, isFault }): Fault[] => {
      if (isFault) return [{ pointer: `/${name}`, code: 'script', message: `${message}.` }];
      call.warnings.push(`/${name}: ${message}.`);
      return [];
    },
  );
}

function readTerms(params: string | null | undefined): LicenseTerms | Fault {
  try {
    return readLicenseTerms(params);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { pointer: '/params', code: 'params', message: error.message };
  }
}
