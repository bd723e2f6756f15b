/** One object as the PSP sent it. `text` is cut from the body, not serialised again. */
export interface RawObject {
  /** The PSP's id; null when the object has no readable one. */
  reference: string | null
  text: string
  /** `JSON.parse(text)`, if the adapter has parsed it already. */
  value?: unknown
}

export interface ListRequest<Cursor> {
  cursor: Cursor
  /** Posting date of the oldest dispute that may still change: the window must reach back to it. */
  oldestOpen: Date | null
  /** Stored pages by their key. Absent: every page is parsed. */
  known?: KnownPages
  /** Name of the window to read, from `cursor.windows`. Absent: the first one. */
  window?: string
}

export interface DisputePage<Cursor> {
  items: RawObject[]
  /** Advances only over returned objects; safe to store with this page in one transaction. */
  cursor: Cursor
  hasMore: boolean
  /** Only if the cursor has windows: the cursor after this page, when pages of other windows were stored meanwhile. */
  advance?: (current: Cursor) => Cursor
  /** Only if the list returns whole objects in every scan: how an unchanged page is recognised. */
  listed?: ListedPage
}

/** What the engine remembers about pages of a list, so that an unchanged page is neither parsed nor compared. */

/** A page when all its objects were stored. */
export interface KnownPage {
  /** SHA-256 of the response's body. */
  fingerprint: Buffer
  /** Number of its objects. */
  objects: number
  /** What the adapter needs to continue after the page; JSON that only the adapter reads. */
  next: unknown
}

/** A page that was just read. */
export interface ListedPage extends KnownPage {
  /** The same for the same place in the list, also when disputes were added before it. */
  key: string
  /** Its body has the remembered fingerprint: the page has no items. */
  unchanged: boolean
}

export type KnownPages = ReadonlyMap<string, KnownPage>
