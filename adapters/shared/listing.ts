/** What the engine remembers of pages of a list, so that an unchanged page is neither parsed nor compared. */

/** A page as it was when everything on it was stored. */
export interface KnownPage {
  /** SHA-256 of the response's body. */
  fingerprint: Buffer
  /** Objects on it. */
  objects: number
  /** What the adapter needs to read on behind the page, as it gave it; JSON. */
  next: unknown
}

/** A page that was just read, by the name under which it is remembered. */
export interface ListedPage extends KnownPage {
  /** The same for the same place in the list, whatever was added in front of it. */
  key: string
  /** It has the remembered bytes: no object of it is handed out. */
  unchanged: boolean
}

export type KnownPages = ReadonlyMap<string, KnownPage>
