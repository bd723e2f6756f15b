import type { Inbox, RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import { asRecord } from '../shared/raw-json.ts'
import { pathOf, type SandboxClient } from './client.ts'
import { demandGood } from './credentials.ts'
import { unanswered } from './errors.ts'
import { readPosted } from './inbox.ts'
import type { Shape } from './rules.ts'
import type { SandboxSecret } from './secret.ts'

/** The two places where sandbox chargebacks live. */
export interface Sandbox {
  /** The sandbox PSP; null where none is running. */
  client: SandboxClient | null
  /** Raw data that clients posted. */
  inbox: Inbox | undefined
  secret: SandboxSecret
  now: () => Date
}

/** A chargeback as it stands now; also what is looked at before and after each write. */
export interface ReadChargeback {
  raw: RawObject
  shape: Shape
  /** Posted as raw data: answers are kept in the inbox instead of sent. */
  posted: boolean
}

/** What was posted comes first; anything else is the PSP's. @throws PspError not_found when neither has it */
export async function readChargeback(sandbox: Sandbox, reference: string): Promise<ReadChargeback> {
  const path = pathOf(reference)
  const raw = await readPosted(sandbox.inbox, reference)
  if (raw) {
    demandGood(sandbox.secret)
    return { raw, shape: JSON.parse(raw.text), posted: true }
  }
  if (sandbox.client === null) {
    throw new PspError('not_found', 'No such chargeback was posted to POST /sandbox/raw-data of this integration.')
  }
  const answer = await sandbox.client.read(path)
  if (answer.value.chargebackId !== reference) throw unanswered('read')
  return { raw: { reference, text: answer.text.trim() }, shape: asRecord(answer.value) ?? {}, posted: false }
}
