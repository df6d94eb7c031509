/** The address of a path below another one. What is no address stays as it is, so that its fault can be named. */
export function uriBelow(base: unknown, path: string): string {
  const text = String(base);
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  return url.href;
}
