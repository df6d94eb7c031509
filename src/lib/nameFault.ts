/** The fault of a name with invisible characters, or characters that turn the text around. */
export function nameFault(text: string): string | undefined {
  const match = hidden.exec(text.replace(partsOfEmoji, '.'));
  if (!match) return undefined;
  const code = match[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  const position = Array.from(text.slice(0, match.index)).length + 1;
  return `must not contain U+${code}, which is not shown or turns the text around, at position ${position}.`;
}

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Between and behind emoji these choose how they look, and stand nowhere else. */
const partsOfEmoji =
  /(?<=\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)\u200D(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic})\uFE0F/gu;
