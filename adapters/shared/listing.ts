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
