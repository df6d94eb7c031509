import { sealedText } from './secret.ts';

/** Parts of paths that providers share among their users; any other part may be an access key. */
const publicPart =
  /^(v?\d{1,7}|rpc|json-?rpc|api|ws|wss|https?|eth|evm|ext|bc|c|node|core|public|archive|full|main|mainnet|testnet|sepolia|holesky)$/i;
/** Some providers put the access key into the name of the host. */
const keyInHost = /^(?=.*\d)[0-9a-z]{20,}$/i;

/** The address of an RPC endpoint as people may see it: everything that may be an access key is masked. */
export function maskEndpoint(address: string): string {
  const { pathname, search } = new URL(address);
  const path = pathname.split('/').map((part) => (isPublic(part) ? part : sealedText));
  return `${maskOrigin(address)}${path.join('/').replace(/^\/$/, '')}${search ? `?${sealedText}` : ''}`;
}

/** The same without path and query. */
export function maskOrigin(address: string): string {
  const { protocol, host, username, password } = new URL(address);
  const names = host.split('.').map((name) => (keyInHost.test(name) ? sealedText : name));
  return `${protocol}//${username || password ? `${sealedText}@` : ''}${names.join('.')}`;
}

/** Removes the access keys of an endpoint from what its server says, which may repeat them. */
export function createRedact(address: string): (text: string) => string {
  const { pathname, search, searchParams, username, password, hostname } = new URL(address);
  const parts = [
    search.slice(1),
    ...searchParams.values(),
    ...pathname.split('/').filter((part) => !isPublic(part)),
    ...hostname.split('.').filter((name) => keyInHost.test(name)),
    username,
    password,
  ];
  const secrets = [...new Set(parts.flatMap((part) => [part, decodeText(part)]))]
    .filter((part) => part.length >= minSecretLength)
    .sort((left, right) => right.length - left.length);
  return (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, sealedText), text);
}

/** Shorter ones are no keys, and removing them would garble ordinary words. */
const minSecretLength = 4;

function isPublic(part: string): boolean {
  return part === '' || publicPart.test(part);
}

function decodeText(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
