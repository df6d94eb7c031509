/** Text of an XML document with its entities resolved; `fault` makes the error of one that XML itself does not have. */
export function decodeXmlText(text: string, fault: (message: string) => Error): string {
  if (!text.includes('&')) return text;
  return text.replace(/&([^;&\s]{0,12});?/g, (whole, entity: string) => {
    const known = named.get(entity);
    if (known !== undefined && whole.endsWith(';')) return known;
    const [, hex, digits] = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(entity) ?? [];
    const code = hex === undefined ? Number(digits ?? Number.NaN) : Number.parseInt(hex, 16);
    if (whole.endsWith(';') && code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff))
      return String.fromCodePoint(code);
    throw fault(`'${whole.slice(0, 20)}' is not an entity of XML.`);
  });
}

const named = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);
