import type { ChargebackFacts } from '../../domain/chargeback.ts'
import type { Decided } from '../../domain/decision.ts'
import type { ComparedName, Stored, Written } from '../chargebacks/column-sql.ts'
import type { SealForm } from '../core/seal.ts'
import type { PageToStore } from './list-pages.ts'
import type { QuarantinedObject } from './quarantine.ts'

/** The stored state that a new PSP reading is compared with. */
export interface StoredChargeback extends Stored<ComparedName>, Pick<Decided, 'accepted' | 'submitted' | 'atWork'> {
  /** It is due to be read again. */
  rereadDue: boolean
}

/** A chargeback to be stored: times as ISO text, integers beyond 2^53 as text. */
export interface ChargebackColumns extends Written {
  /** Provider that raised an alert. */
  providerName: NonNullable<ChargebackFacts['providerName']> | null
}

export interface TimelineEntry {
  chargeback_id: string
  source: string
  what: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** Readings to be stored, decided at `now`. */
export interface Readings {
  chargebacks: ChargebackColumns[]
  raw: { reference: string; text: string }[]
  timeline: TimelineEntry[]
  /** Version of the scope rules that the chargebacks were decided under. */
  rulesVersion: number
  now: Date
  /** The page that the readings are from, in a transaction that has written already. Absent: they were read one by one. */
  page?: Pick<Page, 'listed' | 'rawForm'>
}

export interface Page extends Omit<Readings, 'page'> {
  quarantined: QuarantinedObject[]
  translationVersion: number
  /** Unchanged chargebacks that were due to be read again, with the time of their next read. */
  rereads: Reread[]
  /** Null when the objects were read one by one: the cursor stays. */
  cursor: { version: number; value: unknown } | null
  /** How an unchanged page is recognised; null if the PSP has no such pages. */
  listed: (PageToStore & { complete: boolean }) | null
  /** Removals of the merchant when the poll began: see `noteErasure`. */
  erasures: bigint
  /** It concerned nothing but itself when the poll began. */
  standsAlone: boolean
  /** How raw objects are sealed. */
  rawForm: SealForm
}

export interface Reread {
  id: string
  rereadAfter: Date | null
}
