/** Folders of src/ that the compiler leaves behind: SQL migrations, pages, the base list of labels. */
export const copiedFolders = ['store/migrations', 'api/http/pages', 'services/labels/data'];
