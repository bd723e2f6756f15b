import { Unmappable } from '../shared/facts.ts'
import { asRecord } from '../shared/raw-json.ts'
import { type Item, readItem } from './events/items.ts'
import { inOrder } from './events/reduce.ts'
import { parsed } from './facts.ts'

/**
 * The text of a dispute. Adyen has no such object: it is the list of all its notifications, unchanged, in order of
 * events, plus Recoup's own marks. The same notifications give the same text, in whatever order they arrived.
 */
export interface DisputeText {
  merchantAccount: string
  disputePspReference: string
  /** Texts of NotificationRequestItems. */
  items: readonly string[]
  /** Texts of Recoup's own marks. */
  sent: readonly string[]
}

/** A write by Recoup that Adyen accepted. Adyen shows nothing of it until a notification arrives. */
export interface Mark {
  /**
   * `upload` is stored before the documents are sent, the others after Adyen's response. `upload_refused` revokes the
   * upload of the same evidence and time, which certainly did not reach Adyen.
   */
  recoup: 'acceptance' | 'upload' | 'upload_refused' | 'staging' | 'defense'
  disputePspReference: string
  digest: string | null
  /** For an upload: the types of its documents. */
  types?: readonly string[]
  /** ISO 8601. */
  at: string
}

export function printDispute({ merchantAccount, disputePspReference, items, sent }: DisputeText): string {
  const unique = [...new Set(items)]
  const readable = unique.flatMap((text) => {
    try {
      return [{ text, item: readItem(parsed(text)) }]
    } catch {
      return []
    }
  })
  const ordered = inOrder(readable).map(({ text }) => text)
  const unreadable = unique.filter((text) => !ordered.includes(text)).sort()
  const head = `"merchantAccount":${JSON.stringify(merchantAccount)},"disputePspReference":${JSON.stringify(disputePspReference)}`
  const marks = [...new Set(sent)].sort()
  return `{${head},"items":[${[...ordered, ...unreadable].join(',')}]${marks.length > 0 ? `,"sent":[${marks.join(',')}]` : ''}}`
}

export interface ReadDispute {
  reference: string
  /** In order; only readable items. */
  items: Item[]
  marks: Mark[]
  /** Errors of the others. */
  unreadable: string[]
}

/**
 * Parses the output of `printDispute`, and also a single NotificationRequestItem or a whole delivery, so that an
 * example of Adyen's can be posted unchanged. @throws Unmappable when nothing in it is readable
 */
export function readDisputeText(text: string): ReadDispute {
  const root = parsed(text)
  if (!root) throw new Unmappable('it is not a JSON object')
  if (typeof root.unusable === 'string') throw new Unmappable(root.unusable)
  const values = valuesOf(root)
  const unreadable: string[] = []
  const read = values.flatMap((value) => {
    try {
      return [{ item: readItem(value), text: JSON.stringify(value) }]
    } catch (error) {
      if (!(error instanceof Unmappable)) throw error
      unreadable.push(error.message)
      return []
    }
  })
  const items = inOrder(read).map(({ item }) => item)
  const [first] = items
  if (!first) throw new Unmappable(unreadable[0] ?? 'it holds no notification')
  const named = typeof root.disputePspReference === 'string' && root.disputePspReference !== ''
  const reference = named ? (root.disputePspReference as string) : first.pspReference
  return { reference, items, marks: marksOf(root.sent), unreadable }
}

function valuesOf(root: Record<string, unknown>): unknown[] {
  if (Array.isArray(root.items)) return root.items
  if (Array.isArray(root.notificationItems)) {
    return root.notificationItems.map((wrapper) => asRecord(wrapper)?.NotificationRequestItem ?? wrapper)
  }
  return [root.NotificationRequestItem ?? root]
}

export function marksOf(sent: unknown): Mark[] {
  if (!Array.isArray(sent)) return []
  return sent.filter((mark): mark is Mark => typeof asRecord(mark)?.recoup === 'string')
}
