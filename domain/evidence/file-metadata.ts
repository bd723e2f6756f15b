import { isUuid } from '../ids.ts'
import { cleanText, excerpt, isCardNumber } from './clean-text.ts'
import { EXHIBIT_KINDS, type ExhibitKind } from './fact-catalogue.ts'

/** What a file shows and what it is about, from the metadata of its upload. At most one of the last three is set. */
export interface FileAbout {
  kind: ExhibitKind | null
  /** A chargeback's id, or its id at the PSP. */
  chargeback: string | null
  transaction: string | null
  /** Whether it is evidence for every chargeback of the merchant, such as a policy. */
  merchantWide: boolean
}

/** Ids are stored unsealed, so that they can be joined: nothing that looks like an address or a name. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,254}$/
const CAPTION_MAX = 200

/**
 * Metadata belongs to the client: a word that has no meaning here is kept and not used. Of several references the
 * narrowest counts, so that no file is used for more chargebacks than the client may have meant.
 * @param metadata JSON text of an object, or null
 */
export function fileAbout(metadata: string | null): FileAbout {
  const { kind, chargebackId, transactionId, scope } = read(metadata)
  const known = EXHIBIT_KINDS.find((one) => one === kind) ?? null
  const none = { kind: known, chargeback: null, transaction: null, merchantWide: false }
  if (chargebackId !== undefined) return { ...none, chargeback: idOf(chargebackId) }
  if (transactionId !== undefined) return { ...none, transaction: idOf(transactionId) }
  return { ...none, merchantWide: scope === 'merchant' }
}

/** The client's words about the file in one line, at most 200 characters; null without them. */
export function fileCaption(metadata: string | null): string | null {
  const { caption } = read(metadata)
  return typeof caption === 'string' ? excerpt(cleanText(caption), CAPTION_MAX) || null : null
}

/** A part of a page that is framed: shares of width and height from the upper left corner. */
export interface Highlight {
  /** From 1. */
  page: number
  x: number
  y: number
  w: number
  h: number
}

const HIGHLIGHTS_MAX = 20

/** The metadata's `highlight`: `[{"page": 1, "x": 0.1, "y": 0.4, "w": 0.5, "h": 0.1}]`. What is no part of a page is not used. */
export function fileHighlights(metadata: string | null): Highlight[] {
  const { highlight } = read(metadata)
  const given: unknown[] = Array.isArray(highlight) ? highlight.slice(0, HIGHLIGHTS_MAX) : []
  return given.flatMap((one) => {
    const { page = 1, x, y, w, h } = Object(one) as Record<keyof Highlight, unknown>
    const shares = [x, y, w, h]
    if (!shares.every(isShare) || !Number.isInteger(page) || Number(page) < 1) return []
    const [left, top, width, height] = shares as [number, number, number, number]
    if (width === 0 || height === 0 || left + width > 1 || top + height > 1) return []
    return [{ page: Number(page), x: left, y: top, w: width, h: height }]
  })
}

const isShare = (value: unknown) => typeof value === 'number' && value >= 0 && value <= 1

const read = (metadata: string | null): Record<string, unknown> => (metadata === null ? {} : JSON.parse(metadata))

function idOf(value: unknown): string | null {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  if (!ID.test(text) || isCardNumber(text)) return null
  return isUuid(text) ? text.toLowerCase() : text
}
