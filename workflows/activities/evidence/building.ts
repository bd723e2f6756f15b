import { createHash } from 'node:crypto'
import type { EvidenceLimits } from '../../../adapters/contract.ts'
import { readFile } from '../../../db/evidence/files.ts'
import { keepPackage } from '../../../db/packages/keeping.ts'
import { type BuiltPackage, isLatest, type Stored, storePackage } from '../../../db/packages/packages.ts'
import {
  againPackages,
  type BuildOrder,
  outdatedPackages,
  postponePackage,
  readBuildOrder,
  wantedPackages,
} from '../../../db/packages/wanted.ts'
import { pdfLimits } from '../../../domain/evidence/document/pdf-limits.ts'
import { nextDateOf } from '../../../domain/evidence/next-date.ts'
import { BUILD_VERSION } from '../../../domain/evidence/package/build-version.ts'
import {
  type AssembledPackage,
  assemblePackage,
  type PackageInput,
} from '../../../domain/evidence/package/package-content.ts'
import { type BuiltEvidence, buildEvidence, type WrittenEvidence } from '../../../files/build-evidence.ts'
import { FileKilled } from '../../../files/refusals.ts'
import { startPackage } from '../../starters/package.ts'
import type { ActivityDeps } from '../deps.ts'
import { heartbeating } from '../heartbeating.ts'
import { gather, type Material } from './material.ts'

/** Builds started per run of the reconciler, which runs every 15 s. */
const SLICE = 50
/** Minutes after which a package is built again whose PSP could not be asked for its limits. */
const ASK_AGAIN_MINUTES = 10
/** Minutes after which earlier payments are looked for again: one of them may be disputed by then, or there may be more. */
const LOOK_AGAIN_MINUTES = 360
/** The longest wait: a date in the data may be many years ahead. */
const LONGEST_MINUTES = 365 * 24 * 60
/** Minutes after which a failed build is tried again without a change of its data. */
const TRY_AGAIN_MINUTES = 60
const TOO_COMPLEX = 'The package takes too long or too much memory to build. Shorten the data of the chargeback.'
/** Without an answer of the PSP no package is too large. */
const NOT_ASKED = { bytes: Number.POSITIVE_INFINITY, pages: Number.POSITIVE_INFINITY }
const FAILED = 'The package could not be built. It is tried again within the hour; operators can see why in the log.'

/**
 * Starts builds for chargebacks whose data has changed, and with what is left of the slice for packages whose time to look again
 * has come, and for those that a former version of the build made. @returns how many
 */
export async function startPackages(deps: ActivityDeps): Promise<number> {
  const found = await wantedPackages(deps.db, deps.now(), SLICE)
  if (found.length < SLICE) found.push(...(await againPackages(deps.db, deps.now(), SLICE - found.length)))
  if (found.length < SLICE) found.push(...(await outdatedPackages(deps.db, SLICE - found.length)))
  for (const one of found) await startPackage(deps, one)
  return found.length
}

/** `unwanted`: built or answered meanwhile. `postponed`: neither a package nor a refusal could be stored. */
export type BuildResult = Stored | 'unwanted' | 'postponed'

/** Builds the package of a chargeback from the data that is there now, and stores it. Sends nothing to the PSP. */
export async function buildPackage(
  deps: ActivityDeps,
  { chargebackId }: { chargebackId: string },
): Promise<{ result: BuildResult }> {
  const order = await readBuildOrder(deps.db, chargebackId)
  if (!order) return { result: 'unwanted' }
  using _beats = heartbeating()
  const material = await gather(deps, order)
  const whole = assemblePackage(material.input)
  const digest = digestOf(whole, material.limits)
  const known = { ...nothing(whole), digest, againInMinutes: againIn(material, whole) }
  const made = (await isLatest(deps.db, order, digest)) ? {} : await render(deps, order, material)
  const built = { ...known, ...made }
  const isUnprintable = built.refused !== null && typeof whole.document !== 'string'
  const kept = isUnprintable && !order.stale ? await keepGood(deps, order, built, material) : null
  const result = kept ?? (await storePackage(deps.db, deps.ring, order, built))
  const { unusedSentences: sentences } = whole
  if (sentences && (result === 'built' || result === 'refused'))
    deps.log.warn({ accountId: order.accountId, chargebackId, sentences }, "account's sentences not used")
  return { result }
}

/** The data is the same: a package that can still be submitted is worth more than a refusal. */
async function keepGood(deps: ActivityDeps, order: BuildOrder, failed: BuiltPackage, { limits }: Material) {
  const kept = await keepPackage(deps.db, deps.ring, order, failed, pdfLimits(limits))
  const { chargebackId } = order
  if (kept === 'unchanged') deps.log.warn({ chargebackId, reason: failed.refused }, 'package kept after a failed build')
  return kept
}

/** Null: only a change of data makes another package. */
function againIn({ assumed, input }: Material, { summary }: AssembledPackage): number | null {
  const { sources, now } = input.evidence
  const next = nextDateOf(sources, now)
  const namesEarlier = summary.play === 'recurring' || summary.kept.includes('earlier_purchases')
  const minutes = [
    ...(assumed ? [ASK_AGAIN_MINUTES] : []),
    ...(namesEarlier ? [LOOK_AGAIN_MINUTES] : []),
    ...(next ? [Math.ceil((next.getTime() - now.getTime()) / 60_000)] : []),
  ]
  return minutes.length > 0 ? Math.min(...minutes, LONGEST_MINUTES) : null
}

const nothing = ({ summary, content }: AssembledPackage) => ({
  ...{ summary, content, pdf: null, place: null, refused: null, dropped: [] },
})

/**
 * After the last attempt to build: says so instead, so that chargebacks that can be built come first. A package whose
 * data is the same stays, with a warning, unless it says what no longer holds. If that fails too, the build is postponed.
 */
export async function refusePackage(
  deps: ActivityDeps,
  { chargebackId }: { chargebackId: string },
): Promise<{ result: BuildResult }> {
  const order = await readBuildOrder(deps.db, chargebackId)
  if (!order) return { result: 'unwanted' }
  try {
    return { result: await storeRefusal(deps, order) }
  } catch (error) {
    // Messages carry what could not be read.
    deps.log.warn({ chargebackId, reason: kindOf(error) }, 'package postponed: its data cannot be read')
    await postponePackage(deps.db, chargebackId, TRY_AGAIN_MINUTES)
    return { result: 'postponed' }
  }
}

const kindOf = (error: unknown): string => (error instanceof Error ? error.name : 'error')

async function storeRefusal(deps: ActivityDeps, order: BuildOrder): Promise<Stored> {
  const { input } = await gather(deps, order, false)
  const failed = { ...nothing(assemblePackage(input)), ...refusal(input, FAILED), againInMinutes: TRY_AGAIN_MINUTES }
  const kept = order.stale ? null : await keepPackage(deps.db, deps.ring, order, { ...failed, digest: null }, NOT_ASKED)
  return kept ?? storePackage(deps.db, deps.ring, order, { ...failed, digest: 'failed' })
}

/** Of everything that can be said and enclosed, the room for it, and the build: an equal digest is an equal package. */
const digestOf = (whole: AssembledPackage, limits: EvidenceLimits): string =>
  createHash('sha256')
    .update(JSON.stringify([BUILD_VERSION, whole, pdfLimits(limits)]))
    .digest('hex')

/** @throws NoSlot, and FileKilled when another attempt may succeed */
async function render(
  deps: ActivityDeps,
  { accountId, merchantUuid }: BuildOrder,
  { input, limits }: Material,
): Promise<Partial<BuiltPackage>> {
  try {
    const made = await buildEvidence(deps.renderer, {
      account: accountId,
      files: input.files.map((file) => ({
        ...file,
        read: async () => (await readFile(deps.db, deps.ring, { merchantUuid, fileId: file.fileId })).content,
      })),
      write(files) {
        const assembled = assemblePackage({ ...input, files })
        const { document, content, textCharacters } = assembled
        return typeof document === 'string'
          ? document
          : { document, exhibits: content.exhibits, textCharacters, assembled }
      },
      limits: pdfLimits(limits),
    })
    return 'refused' in made ? refusal(input, made.refused) : ofPdf(made)
  } catch (error) {
    if (error instanceof FileKilled && error.final) return refusal(input, TOO_COMPLEX)
    throw error
  }
}

/** The reason is among the warnings, where clients read it. */
function refusal(input: PackageInput, refused: string): Pick<BuiltPackage, 'refused' | 'content'> {
  const { content } = assemblePackage(input)
  return { refused, content: { ...content, warnings: [...content.warnings, refused] } }
}

type Made = BuiltEvidence<WrittenEvidence & { assembled: AssembledPackage }>

function ofPdf({ pdf, pages, written, exhibits, warnings, ...left }: Made): Partial<BuiltPackage> {
  const { summary, content, place } = written.assembled
  const pagesOf = new Map(exhibits.map((one) => [one.fileId, one.pages]))
  return {
    ...{ summary, place },
    pdf: { bytes: pdf, pages },
    dropped: [
      ...new Set([
        ...written.assembled.dropped,
        ...left.dropped.map(({ fileId }) => fileId),
        ...left.exhibitsCut,
        ...left.tablesLeft,
      ]),
    ],
    content: {
      ...content,
      exhibits: content.exhibits.map((one) => ({ ...one, pages: pagesOf.get(one.fileId) ?? 0 })),
      filesLeft: [...content.filesLeft, ...left.dropped],
      warnings: [...content.warnings, ...warnings],
    },
  }
}
