import type { Inbox, RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import { asRecord } from '../shared/raw-json.ts'
import { pathOf, type SandboxClient } from './client.ts'
import { requireValidCredential } from './credentials.ts'
import { noResponse } from './errors.ts'
import { readPosted } from './inbox.ts'
import type { Shape } from './rules.ts'
import type { SandboxSecret } from './secret.ts'

/** The two sources of sandbox chargebacks. */
export interface Sandbox {
  /** The sandbox PSP; null when none is running. */
  client: SandboxClient | null
  /** Raw data that clients posted. */
  inbox: Inbox | undefined
  secret: SandboxSecret
  now: () => Date
}

/** The current state of a chargeback; also read before and after each write. */
export interface ReadChargeback {
  raw: RawObject
  shape: Shape
  /** Posted as raw data: writes are stored in the inbox instead of sent. */
  posted: boolean
}

/** Reads the inbox first, then the PSP. @throws PspError not_found when neither has it */
export async function readChargeback(sandbox: Sandbox, reference: string): Promise<ReadChargeback> {
  const path = pathOf(reference)
  const raw = await readPosted(sandbox.inbox, reference)
  if (raw) {
    requireValidCredential(sandbox.secret)
    return { raw, shape: JSON.parse(raw.text), posted: true }
  }
  if (sandbox.client === null) {
    throw new PspError('not_found', 'No such chargeback was posted to POST /sandbox/raw-data of this integration.')
  }
  const answer = await sandbox.client.read(path)
  if (answer.value.chargebackId !== reference) throw noResponse('read')
  return { raw: { reference, text: answer.text.trim() }, shape: asRecord(answer.value) ?? {}, posted: false }
}
