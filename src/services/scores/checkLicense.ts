import type { Fault } from '../../model/errors.ts';
import { type LicenseTerms, readLicenseTerms } from '../../model/licenseTerms.ts';
import { invalidInput } from '../../model/validate.ts';
import type { Call } from '../call.ts';
import { scriptFaults } from '../records/scriptFaults.ts';

type LicenseScripts = {
  params?: string | null | undefined;
  groupScript?: string | null | undefined;
  scoreScript?: string | null | undefined;
};

/** Checks params and scripts on save, so that their author sees a fault before the first alert. */
export async function checkLicense(call: Call, proposed: LicenseScripts): Promise<LicenseTerms> {
  const terms = readTerms(proposed.params);
  const faults = [
    ...('message' in terms ? [terms] : []),
    ...(await scriptFaults(call, [
      { pointer: '/groupScript', source: proposed.groupScript },
      { pointer: '/scoreScript', source: proposed.scoreScript },
    ])),
  ];
  if ('message' in terms || faults.length > 0) throw invalidInput(faults);
  return terms;
}

function readTerms(params: string | null | undefined): LicenseTerms | Fault {
  try {
    return readLicenseTerms(params);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { pointer: '/params', code: 'params', message: error.message };
  }
}
