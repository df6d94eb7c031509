/** The return codes of PKCS#11. */
const names: Readonly<Record<number, string>> = {
  5: 'CKR_GENERAL_ERROR',
  6: 'CKR_FUNCTION_FAILED',
  7: 'CKR_ARGUMENTS_BAD',
  19: 'CKR_ATTRIBUTE_VALUE_INVALID',
  48: 'CKR_DEVICE_ERROR',
  49: 'CKR_DEVICE_MEMORY',
  50: 'CKR_DEVICE_REMOVED',
  96: 'CKR_KEY_HANDLE_INVALID',
  112: 'CKR_MECHANISM_INVALID',
  130: 'CKR_OBJECT_HANDLE_INVALID',
  144: 'CKR_OPERATION_ACTIVE',
  145: 'CKR_OPERATION_NOT_INITIALIZED',
  160: 'CKR_PIN_INCORRECT',
  161: 'CKR_PIN_INVALID',
  162: 'CKR_PIN_LEN_RANGE',
  163: 'CKR_PIN_EXPIRED',
  164: 'CKR_PIN_LOCKED',
  176: 'CKR_SESSION_CLOSED',
  177: 'CKR_SESSION_COUNT',
  179: 'CKR_SESSION_HANDLE_INVALID',
  224: 'CKR_TOKEN_NOT_PRESENT',
  225: 'CKR_TOKEN_NOT_RECOGNIZED',
  226: 'CKR_TOKEN_WRITE_PROTECTED',
  256: 'CKR_USER_ALREADY_LOGGED_IN',
  257: 'CKR_USER_NOT_LOGGED_IN',
  258: 'CKR_USER_PIN_NOT_INITIALIZED',
  304: 'CKR_DOMAIN_PARAMS_INVALID',
  320: 'CKR_CURVE_NOT_SUPPORTED',
  400: 'CKR_CRYPTOKI_NOT_INITIALIZED',
  401: 'CKR_CRYPTOKI_ALREADY_INITIALIZED',
};

/** After these the module has lost the session, the login, the keys or the token: reconnecting may help. */
export const lostCodes: ReadonlySet<string> = new Set(
  [5, 6, 48, 50, 96, 130, 144, 145, 176, 179, 224, 225, 257, 400].map((code) => nameOf(code)),
);

/** `code` is a name of PKCS#11, or a word of ours: `hung`, `no-token`, `no-key`, `no-curve`, `pin`, `bad-key`, `bad-signature`. */
export class Pkcs11Error extends Error {
  override readonly name = 'Pkcs11Error';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** True if reconnecting may help at once. */
  get isLost(): boolean {
    return lostCodes.has(this.code);
  }

  /** True if it may work later without a change of the settings. */
  get retryable(): boolean {
    return this.isLost || this.code === 'hung' || this.code === 'no-token';
  }
}

export function toPkcs11Error(call: string, code: number): Pkcs11Error {
  return new Pkcs11Error(nameOf(code), `The PKCS#11 module returned ${nameOf(code)} for ${call}.`);
}

function nameOf(code: number): string {
  return names[code] ?? `0x${code.toString(16)}`;
}
