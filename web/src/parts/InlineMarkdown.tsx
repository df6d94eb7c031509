/** Code, emphasis and links to the web in a line of Markdown; everything else stays as it is written. */
export function InlineMarkdown({ text }: { text: string }) {
  return (
    <>
      {text.split(marks).map((part, index) => {
        if (index % 2 === 0) return part;
        if (part.startsWith('`')) return <code key={index}>{part.slice(1, -1)}</code>;
        if (part.startsWith('**')) return <strong key={index}>{part.slice(2, -2)}</strong>;
        const [, words = '', address = ''] = /^\[(.*)\]\((.*)\)$/.exec(part) ?? [];
        return address.startsWith('https://') ? (
          <a key={index} href={address} target="_blank" rel="noreferrer noopener">
            {words}
          </a>
        ) : (
          words
        );
      })}
    </>
  );
}

/** Bounded, so that no text makes it slow. */
const marks = /(`[^`\n]{1,200}`|\*\*[^*\n]{1,200}\*\*|\[[^\][\n]{1,200}\]\([^()\s]{1,500}\))/;
