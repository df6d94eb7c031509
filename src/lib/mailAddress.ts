/** Reason given wherever an address is refused. */
export const mailAddressWords = 'must be an e-mail address such as alice@example.com';

/**
 * The one rule for e-mail addresses: those that every mail server takes, without quotes, comments or characters beyond ASCII.
 * No character that could break out of a mail header or an SMTP command passes.
 */
export function isMailAddress(text: string): boolean {
  return text.length <= 254 && pattern.test(text);
}

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const pattern = new RegExp(`^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`);

/** Addresses are stored and compared in lower case: no mail server of today distinguishes them by it. */
export function normalizeMailAddress(address: string): string {
  return address.toLowerCase();
}
