import { accessOf, allowedRoles } from '../api/http/access.ts';
import { pathOf } from '../api/http/route.ts';
import { loadConfig } from '../runtime/config/loadConfig.ts';
import { endpointsFor } from '../runtime/startServer.ts';

export async function printEndpoints(): Promise<number> {
  for (const endpoint of endpointsFor(loadConfig())) {
    const roles = allowedRoles(accessOf(endpoint));
    const words = roles === 'public' ? 'public' : roles.join(' ');
    process.stdout.write(`${endpoint.method.padEnd(7)}${pathOf(endpoint).padEnd(40)}${words}\n`);
  }
  return 0;
}
