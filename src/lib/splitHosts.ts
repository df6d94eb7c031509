/**
 * The addresses of the single servers that one PostgreSQL address names, written as libpq takes them:
 * `postgres://user@a:5432,b:5433/name`, or `postgres://user@/name?host=/run/a,/run/b&port=5432,5433`.
 */
export function splitHosts(address: string): string[] {
  const { scheme, user, hosts, path, parameters } = parse(address);
  const named = listOf(parameters, 'host');
  const ports = listOf(parameters, 'port');
  const count = Math.max(hosts.split(',').length, named.length, ports.length);
  return Array.from({ length: count }, (_, i) => {
    const values = parameters.map((parameter) => {
      if (parameter.startsWith('host=')) return `host=${named[i] ?? ''}`;
      return parameter.startsWith('port=') ? `port=${ports[i] ?? ports[0] ?? ''}` : parameter;
    });
    const host = hosts.includes(',') ? (hosts.split(',')[i] ?? '') : hosts;
    return `${scheme}${user}${host}${path}${values.length > 0 ? `?${values.join('&')}` : ''}`;
  });
}

/** The address of another server with the same database, for the same user. */
export function withHost(address: string, host: string, port: number): string {
  const { scheme, user, path, parameters } = parse(address);
  const rest = parameters.filter((parameter) => !/^(host|port)=/.test(parameter));
  return `${scheme}${user}${path}?${[`host=${encodeURIComponent(host)}`, `port=${port}`, ...rest].join('&')}`;
}

function parse(address: string) {
  const [, scheme = '', user = '', hosts = '', rest = ''] =
    /^(\w+:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s.exec(address) ?? [];
  const [path = '', query = ''] = splitAt(rest, '?');
  const parameters = query
    .split('&')
    .filter((parameter) => parameter && !parameter.startsWith('target_session_attrs='));
  return { scheme, user, hosts, path, parameters };
}

function listOf(parameters: readonly string[], name: string): string[] {
  const found = parameters.find((parameter) => parameter.startsWith(`${name}=`));
  return found === undefined ? [] : found.slice(name.length + 1).split(/,|%2c/i);
}

function splitAt(text: string, mark: string): string[] {
  const index = text.indexOf(mark);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
