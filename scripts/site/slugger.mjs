/** Ids of headings as the usual viewers of Markdown name them: the second of a name gets `-1`. */
export function slugger() {
  const counts = new Map();
  return (heading) => {
    const id = heading
      .replaceAll(/\]\([^)]*\)/g, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  };
}
