/** Detection of files that are valid in two formats. */

export const OTHER_KIND = 'it is another kind of file as well'

/** Content that makes a browser treat a file as a page. */
export const PAGE = /<(html|script|svg|iframe)\b|<!doctype\s+html/i
/**
 * The same in bytes that are mostly pixels. `<svg` alone occurs by chance in one of a hundred pictures of 6 MB, so text
 * has to follow it.
 */
export const PAGE_IN_PIXELS = /<(html|script|iframe)\b|<svg[\s/>][\x20-\x7e\s]{8}|<!doctype\s+html/i
export const PDF_HEADER = /%PDF-\d/
