/** Files that are of two kinds at once. */

export const OTHER_KIND = 'it is another kind of file as well'

/** What makes a browser take a file for a page. */
export const PAGE = /<(html|script|svg|iframe)\b|<!doctype\s+html/i
/**
 * The same in bytes that are mostly pixels. `<svg` alone stands in one of a hundred pictures of 6 MB by chance, so text
 * has to follow it.
 */
export const PAGE_IN_PIXELS = /<(html|script|iframe)\b|<svg[\s/>][\x20-\x7e\s]{8}|<!doctype\s+html/i
export const PDF_HEADER = /%PDF-\d/
