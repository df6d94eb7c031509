/** What the address gives a page: `{ uid }` for `/alert/:uid`. */
export type PageProps = { params: Record<string, string> };
