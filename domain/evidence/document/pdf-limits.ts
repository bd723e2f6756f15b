/** What a PSP accepts as one PDF. */
export interface PdfLimits {
  bytes: number
  /** Together with the pages that texts count as. */
  pages: number
  /** Characters of text fields that count as one page; null if only files count. */
  charactersPerPage: number | null
}

/** Mastercard takes 19 pages, American Express 20; nobody reads more. */
const MOST_PAGES = 19

/** From what the PSP says about a dispute, or the adapter about all of them. */
export const pdfLimits = (limits: {
  maxFileBytes: number
  maxPdfBytes?: number
  maxTotalBytes: number
  maxPages: number | null
  charactersPerPage?: number
}): PdfLimits => ({
  bytes: Math.min(limits.maxPdfBytes ?? limits.maxFileBytes, limits.maxFileBytes, limits.maxTotalBytes),
  pages: Math.min(limits.maxPages ?? MOST_PAGES, MOST_PAGES),
  charactersPerPage: limits.charactersPerPage ?? null,
})

/** Pages that remain for the PDF. */
export const pagesForPdf = ({ pages, charactersPerPage }: PdfLimits, textCharacters: number): number =>
  charactersPerPage === null ? pages : pages - Math.ceil(textCharacters / charactersPerPage)
