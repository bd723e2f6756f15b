import { createHash } from 'node:crypto'
import type { EvidenceLimits } from '../../../adapters/contract.ts'
import { PspError } from '../../../adapters/errors.ts'
import { transactionPoints } from '../../../adapters/transaction-points.ts'
import { loadEvidenceSources } from '../../../db/evidence/evidence-facts.ts'
import { overridesOf } from '../../../db/evidence/evidence-playbooks.ts'
import { type BuiltPackage, isLatest, type Stored, storePackage } from '../../../db/packages/packages.ts'
import { type BuildOrder, readBuildOrder, wantedPackages } from '../../../db/packages/wanted.ts'
import type { EvidenceDocument } from '../../../domain/evidence/document/evidence-document.ts'
import { type AssembledPackage, assemblePackage } from '../../../domain/evidence/package/package-content.ts'
import { FileKilled } from '../../../files/refusals.ts'
import { startPackage } from '../../starters/package.ts'
import { connectIntegration } from '../commands/work.ts'
import type { ActivityDeps } from '../deps.ts'

/** Builds started per run of the reconciler, which runs every 15 s. */
const SLICE = 50
/** Minutes after which a package is built again whose PSP could not be asked for its limits. */
const ASK_AGAIN_MINUTES = 10
/** Minutes after which a failed build is tried again without a change of its data. */
const TRY_AGAIN_MINUTES = 60
const NOTHING_TO_SAY =
  'No sentence can be said about this chargeback. Send the data that `requiredMissing` and `missing` name.'
const TOO_COMPLEX = 'The package takes too long or too much memory to build. Shorten the data of the chargeback.'
const FAILED = 'The package could not be built. It is tried again within the hour; operators can see why in the log.'

/** Starts builds for chargebacks whose data has changed. @returns how many */
export async function startPackages(deps: ActivityDeps): Promise<number> {
  const wanted = await wantedPackages(deps.db, deps.now(), SLICE)
  for (const one of wanted) await startPackage(deps, one)
  return wanted.length
}

/** `unwanted`: it has been built, or answered, meanwhile. */
export type BuildResult = Stored | 'unwanted'

/** Builds the package of a chargeback from the data that is there now, and stores it. Sends nothing to the PSP. */
export async function buildPackage(
  deps: ActivityDeps,
  { chargebackId }: { chargebackId: string },
): Promise<{ result: BuildResult }> {
  const order = await readBuildOrder(deps.db, chargebackId)
  if (!order) return { result: 'unwanted' }
  const { assembled, assumed } = await assemble(deps, order)
  const digest = digestOf(assembled)
  const againInMinutes = assumed ? ASK_AGAIN_MINUTES : null
  const { summary, content } = assembled
  const known = { digest, summary, content, againInMinutes, dropped: [], refused: null, pdf: null }
  const made = (await isLatest(deps.db, order, digest)) ? {} : await render(deps, order, assembled.document)
  return { result: await storePackage(deps.db, deps.ring, order, { ...known, ...made }) }
}

/** After the last attempt to build: says so instead, so that chargebacks that can be built come first. */
export async function refusePackage(
  deps: ActivityDeps,
  { chargebackId }: { chargebackId: string },
): Promise<{ result: BuildResult }> {
  const order = await readBuildOrder(deps.db, chargebackId)
  if (!order) return { result: 'unwanted' }
  const { summary, content } = (await assemble(deps, order, false)).assembled
  const failed = { summary, content, digest: 'failed', pdf: null, refused: FAILED, dropped: [] }
  const result = await storePackage(deps.db, deps.ring, order, { ...failed, againInMinutes: TRY_AGAIN_MINUTES })
  return { result }
}

interface Assembled {
  assembled: AssembledPackage
  /** The PSP could not be asked what this dispute takes. */
  assumed: boolean
}

async function assemble(deps: ActivityDeps, order: BuildOrder, asksPsp = true): Promise<Assembled> {
  const { chargebackId } = order
  const sources = await loadEvidenceSources(deps.db, deps.ring, chargebackId)
  const { psp, client, chargeback, context, claim, earlier, files, merchantName } = sources
  const definition = deps.adapterFor(psp.source, psp.secretType)
  const general = definition?.evidence ?? NO_TEXTS
  const { limits, assumed } = asksPsp ? await limitsOf(deps, order, general) : { limits: general, assumed: true }
  return {
    assumed,
    assembled: assemblePackage({
      evidence: {
        ...{ claim, earlier, now: deps.now() },
        sources: [...client, ...transactionPoints(definition, context), chargeback],
        overrides: await overridesOf(deps.db, chargebackId),
      },
      ...{ client, merchantName, files, limits },
      table: definition?.textTable ?? { fields: {} },
    }),
  }
}

type TextLimits = Pick<EvidenceLimits, 'textFields' | 'maxTextCharacters'>
/** Of a PSP that takes no evidence. */
const NO_TEXTS: TextLimits = { textFields: {}, maxTextCharacters: 0 }

/** What the dispute takes now. A PSP that is away, or refuses the credential, leaves the adapter's general limits. */
async function limitsOf(
  deps: ActivityDeps,
  { integrationId, reference }: BuildOrder,
  general: TextLimits,
): Promise<{ limits: TextLimits; assumed: boolean }> {
  if (general === NO_TEXTS) return { limits: NO_TEXTS, assumed: false }
  try {
    const { psp } = await connectIntegration(deps, integrationId)
    const limits = await psp.call(async (adapter) => (await adapter.describeEvidence?.(reference)) ?? general)
    return { limits, assumed: false }
  } catch (error) {
    if (!(error instanceof PspError)) throw error
    return { limits: general, assumed: true }
  }
}

/** Of everything that is said and enclosed: an equal digest is an equal package. */
const digestOf = ({ content, document, summary }: AssembledPackage): string =>
  createHash('sha256')
    .update(JSON.stringify([content, document, summary]))
    .digest('hex')

/** @throws NoSlot, and FileKilled when another attempt may succeed */
async function render(
  deps: ActivityDeps,
  { accountId }: BuildOrder,
  document: EvidenceDocument | null,
): Promise<Pick<BuiltPackage, 'pdf' | 'refused' | 'dropped'>> {
  if (!document) return { pdf: null, refused: NOTHING_TO_SAY, dropped: [] }
  const content = new TextEncoder().encode(JSON.stringify(document))
  try {
    const { pdf, pages, uncovered } = await deps.renderer.run({
      ...{ job: 'renderEvidence', account: accountId, input: { content } },
    })
    return { pdf: { bytes: pdf, pages }, refused: null, dropped: uncovered.map((script) => `script ${script}`) }
  } catch (error) {
    if (error instanceof FileKilled && error.final) return { pdf: null, refused: TOO_COMPLEX, dropped: [] }
    throw error
  }
}
