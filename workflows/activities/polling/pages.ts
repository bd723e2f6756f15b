import { createHash } from 'node:crypto'
import type { AdapterDefinition, DisputePage, RawObject, Translation } from '../../../adapters/contract.ts'
import { type ClosedCasesOf, closedCasesOf } from '../../../db/chargebacks/closed-cases.ts'
import { withoutErased } from '../../../db/erasure/kept-texts.ts'
import type { Connection } from '../../../db/integrations/connections.ts'
import { findNews } from '../../../db/polling/ingest.ts'
import type { Page, StoredChargeback } from '../../../db/polling/page.ts'
import type { QuarantinedObject } from '../../../db/polling/quarantine.ts'
import { rereadAfter } from '../../../domain/reread.ts'
import type { ActivityDeps } from '../deps.ts'
import { type AtPsp, accountOf, disputeAccount } from '../psp.ts'
import { checkAccount } from './account-check.ts'
import { projectChargeback } from './projection.ts'

/** A page that is compared and translated, to be written by `writePrepared`. */
export interface PreparedPage {
  page: Page
  /** Its cursor before the page; null for objects that were read one by one. */
  before: Page['cursor']
  raws: (RawObject & { reference: string })[]
}

/**
 * Compares and translates one page with what is stored. Without `cursors` the objects were read one by one, and the
 * cursor stays. It needs no lease.
 */
export async function preparePage(
  deps: ActivityDeps,
  connection: Connection,
  psp: AtPsp,
  page: Pick<DisputePage<unknown>, 'items' | 'listed'>,
  cursors: { before: unknown; after: unknown } | null,
  readAt: Date,
): Promise<PreparedPage> {
  const { definition } = psp
  const versioned = (value: unknown) => ({ version: definition.cursor.version, value })
  const prepared: Page = {
    chargebacks: [],
    raw: [],
    timeline: [],
    quarantined: [],
    translationVersion: definition.translationVersion,
    rulesVersion: connection.rulesVersion,
    now: deps.now(),
    rereads: [],
    cursor: cursors && versioned(cursors.after),
    erasures: connection.erasures,
    standsAlone: connection.pagesStandAlone,
    rawForm: connection.rawForm,
    listed: null,
  }
  const inboxOnly = definition.capabilities.listing === 'inbox'
  const quarantine = (raw: RawObject, reason: string) => prepared.quarantined.push(quarantined(raw, reason))
  const project = (
    translation: Translation,
    raw: RawObject,
    hash: Buffer,
    stored: StoredChargeback | null,
    closedCases: ClosedCasesOf,
  ) => {
    if (translation.kind === 'chargeback')
      return projectChargeback({
        ...translation,
        stored,
        connection,
        closedCases,
        account: accountOf(definition, connection),
        pspAccount: disputeAccount(definition, connection, translation.facts.merchantReferenceName),
        hash,
        inboxOnly,
        readAt,
        now: prepared.now,
        translationVersion: definition.translationVersion,
      })
    quarantine(raw, translation.reason)
    return null
  }

  const identified = new Map<string, { raw: RawObject & { reference: string }; hash: Buffer }>()
  for (const raw of page.items) {
    if (raw.reference === null) quarantine(raw, 'it has no id')
    else identified.set(raw.reference, { raw: { ...raw, reference: raw.reference }, hash: sha256(raw.text) })
  }
  const seen = [...identified.values()]
  const references = seen.map(({ raw, hash }) => ({ reference: raw.reference, hash }))
  const news = await findNews(deps.db, connection.integrationId, references, definition.translationVersion)
  const readable = await withoutErasedOf(
    deps,
    connection,
    news.map(({ index }) => (seen[index] as (typeof seen)[number]).raw),
  )
  const translated = news.map(({ changed }, place) => changed && translate(definition, readable[place] as RawObject))
  const unknown = translated.filter((one, place) => one && news[place]?.stored === null)
  await checkAccount(deps, connection, psp, unknown as Translation[])
  // Once for the page, not a promise for each object.
  const closedCases = translated.some((one) => one && one.kind === 'chargeback')
    ? await closedCasesOf(deps.db, connection)
    : NO_CASES
  let complete = true
  /** When the objects that this page writes are due to be read again. */
  const due = new Map<string, Date | null>()
  for (const [place, { index, stored, changed }] of news.entries()) {
    const { hash } = seen[index] as (typeof seen)[number]
    const raw = readable[place] as RawObject & { reference: string }
    const translation = translated[place]
    const projected = translation ? project(translation, raw, hash, stored, closedCases) : null
    if (projected) {
      prepared.chargebacks.push(projected.columns)
      prepared.timeline.push(...projected.timeline)
      prepared.raw.push({ reference: raw.reference, text: raw.text })
      const { rereadAfter: at } = projected.columns
      due.set(raw.reference, at === null ? null : new Date(at))
      continue
    }
    // What is not stored as it was read is to be compared again, unchanged or not.
    if (changed) complete = false
    if (stored?.rereadDue) {
      const facts = { ...stored, changedAt: stored.pspStatusChangeDate, inboxOnly }
      const at = rereadAfter(facts, readAt)
      prepared.rereads.push({ id: stored.id, rereadAfter: at })
      due.set(raw.reference, at)
    }
  }
  if (page.listed) {
    const references = [...identified.keys()]
    const times = [...due.values()].flatMap((at) => at?.getTime() ?? [])
    prepared.listed = {
      ...page.listed,
      translationVersion: definition.translationVersion,
      references,
      left: references.filter((reference) => !due.has(reference)),
      dueAt: times.length === 0 ? null : new Date(Math.min(...times)),
      complete: complete && prepared.quarantined.length === 0,
    }
  }
  return { page: prepared, before: cursors && versioned(cursors.before), raws: seen.map(({ raw }) => raw) }
}

const NO_CASES: ClosedCasesOf = () => ({ won: 0, lost: 0 })

/** Removes erased persons, so that nothing is computed from data that is not stored. */
export async function withoutErasedOf<Raw extends RawObject>(
  deps: ActivityDeps,
  connection: Connection,
  raws: Raw[],
): Promise<Raw[]> {
  if (!connection.hasErased) return raws
  const asked = raws.map(({ reference, text }) => ({ references: reference === null ? [] : [reference], text }))
  const texts = await withoutErased(deps.db, deps.ring, connection.integrationId, asked)
  return raws.map((raw, index) => {
    const { [index]: text = raw.text } = texts
    // What was parsed names whom the text no longer does.
    return text === raw.text ? raw : { ...raw, text, value: undefined }
  })
}

/** An exception of the adapter quarantines the object, not its page. */
export function translate(definition: AdapterDefinition, raw: RawObject): Translation {
  try {
    return definition.toChargeback(raw)
  } catch {
    return { kind: 'unmappable', reference: raw.reference, reason: 'the adapter failed on it; report this as a bug' }
  }
}

export const sha256 = (text: string) => createHash('sha256').update(text).digest()

export function quarantined(raw: RawObject, reason: string): QuarantinedObject {
  const reference = raw.reference?.isWellFormed() && !raw.reference.includes('\0') ? raw.reference.slice(0, 255) : null
  return {
    hash: sha256(raw.text),
    reference,
    reason: reason.slice(0, 500),
    text: raw.text,
  }
}
