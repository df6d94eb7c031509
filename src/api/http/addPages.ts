import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { codeFile } from '../../lib/codeFile.ts';

/** Nothing from outside and nothing inline, so that no text of an alert can become a script. */
const policy =
  "default-src 'none'; base-uri 'none'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; " +
  "script-src 'self'; style-src 'self'";

/** What a browser shows behind the links in mails: an alert, a confirmation. The pages call the API as any client does. */
export function addPages(app: FastifyInstance): void {
  const serve = (path: string, file: string, type: string) => {
    const text = readFileSync(codeFile(`api/http/pages/${file}`), 'utf8');
    app.get(path, async (_request, reply) =>
      reply.type(`${type}; charset=utf-8`).header('content-security-policy', policy).send(text),
    );
  };
  serve('/alert/:uid', 'alert.html', 'text/html');
  serve('/destination/confirm/:code', 'confirm.html', 'text/html');
  serve('/pages/confirm.js', 'confirm.js', 'text/javascript');
  serve('/pages/alert.css', 'alert.css', 'text/css');
  serve('/pages/alert.js', 'alert.js', 'text/javascript');
}
