import { randomBytes } from 'node:crypto'
import type { Subject } from '../../adapters/conformance/subject.ts'
import { readKeyRing } from '../../db/core/seal.ts'
import { scriptArguments } from '../../local/run-script.ts'
import { type Contender, contenderProcess, type Pass } from '../peers/contender.ts'
import { keyOf } from '../psp/bulk.ts'
import type { OtherSide } from '../psp/other-side.ts'
import type { Databases } from '../runner/databases.ts'
import { homeAccountOf, type PspAccount, prepareAccount, simulatedDisputes } from './account.ts'
import type { PollerOptions, PollRun } from './poller.ts'

export interface RecoupPass extends Omit<PollRun, 'wallMs' | 'cpuMs'>, Pass {}

export type Recoup = Contender<RecoupPass>

const ACCOUNT = 'acct_bulk1'

/** The account of the bulk Stripe. */
export const BULK_ACCOUNT: PspAccount = {
  source: 'stripe',
  account: ACCOUNT,
  secretType: 'APIKEY_ONLY',
  secretPayload: { apiKey: keyOf(ACCOUNT) },
}

export interface Prepared {
  /** Database to copy. */
  template: string
  ring: string
  integrationId: string
  source: string
}

/** A migrated database with one integration of the bulk Stripe. */
export async function prepareBulk(databases: Databases): Promise<Prepared> {
  const ring = newRing()
  const template = await databases.create()
  const integrationId = await prepareAccount(template, readKeyRing(ring), BULK_ACCOUNT)
  return { template, ring, integrationId, source: BULK_ACCOUNT.source }
}

/** The same with the home account of a PSP's simulator, which gets `count` disputes. */
export async function prepareSimulated(
  databases: Databases,
  otherSide: OtherSide,
  subject: Subject,
  count: number,
): Promise<Prepared> {
  const ring = newRing()
  const template = await databases.create()
  const keys = readKeyRing(ring)
  const fill = simulatedDisputes(otherSide, subject, keys, count)
  const integrationId = await prepareAccount(template, keys, homeAccountOf(subject), fill)
  return { template, ring, integrationId, source: subject.definition.source }
}

/** Recoup's poll in a separate process. */
export function openRecoup(
  { template, ring, integrationId, source }: Prepared,
  {
    pspUrl,
    postmaster,
    ...options
  }: { pspUrl: string; postmaster: number | null } & Pick<PollerOptions, 'scope' | 'requestsPerSecond'>,
): Recoup {
  const words = scriptArguments('bench/ours/poller-process.ts')
  const order = { ring, integrationId, source, ...options }
  return contenderProcess<RecoupPass>(
    'Recoup',
    { command: process.execPath, words },
    { pspUrl, postmaster, template, order },
  )
}

export const newRing = () => `bench:${randomBytes(32).toString('base64')}`
