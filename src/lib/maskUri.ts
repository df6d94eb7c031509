/** What a record shows in place of a secret; sent back, it means "as it is". */
export const sealedText = '[sealed]';

/** An address whose path is a secret: only its origin is shown. */
export function maskUri(uri: string): string {
  return URL.canParse(uri) ? `${new URL(uri).origin}/${sealedText}` : sealedText;
}
