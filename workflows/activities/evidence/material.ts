import type { EvidenceLimits } from '../../../adapters/contract.ts'
import { PspError } from '../../../adapters/errors.ts'
import { transactionPoints } from '../../../adapters/transaction-points.ts'
import type { ChargebackFile } from '../../../db/evidence/chargeback-files.ts'
import { loadEvidenceSources } from '../../../db/evidence/evidence-facts.ts'
import { overridesOf } from '../../../db/evidence/evidence-playbooks.ts'
import type { BuildOrder } from '../../../db/packages/wanted.ts'
import type { PackageInput } from '../../../domain/evidence/package/package-content.ts'
import { connectIntegration } from '../commands/work.ts'
import type { ActivityDeps } from '../deps.ts'

/** What a package is made of. */
export interface Material {
  input: PackageInput & { files: ChargebackFile[] }
  limits: EvidenceLimits
  /** The PSP could not be asked what this dispute takes. */
  assumed: boolean
}

/** Reads what a package is made of. Without `asksPsp` it uses the adapter's general limits, not those of the dispute. */
export async function gather(deps: ActivityDeps, order: BuildOrder, asksPsp = true): Promise<Material> {
  const { chargebackId } = order
  const sources = await loadEvidenceSources(deps.db, deps.ring, chargebackId)
  const { psp, client, chargeback, context, claim, purchases, files, merchantName } = sources
  const definition = deps.adapterFor(psp.source, psp.secretType)
  const general = definition?.evidence ?? FOR_A_PERSON
  const { limits, assumed } = asksPsp ? await limitsOf(deps, order, general) : { limits: general, assumed: true }
  return {
    ...{ limits, assumed },
    input: {
      evidence: {
        ...{ claim, earlier: sources.earlier, earlierPayments: sources.earlierPayments, now: deps.now() },
        sources: [...client, ...transactionPoints(definition, context), chargeback],
        overrides: await overridesOf(deps.db, chargebackId),
      },
      ...{ client, merchantName, purchases, files, limits, limitsAssumed: asksPsp && assumed },
      table: definition?.textTable ?? { fields: {} },
    },
  }
}

/** Of PSPs that take no evidence by their API. */
const FOR_A_PERSON: EvidenceLimits = {
  ...{ fileTypes: ['application/pdf'], maxFileBytes: 4_000_000, maxTotalBytes: 4_000_000, maxFiles: 1, maxPages: null },
  ...{ fileFields: [], textFields: {}, maxTextCharacters: 0 },
}

/** What the dispute takes now. A PSP that is unavailable, or refuses the credential, leaves the adapter's general limits. */
async function limitsOf(
  deps: ActivityDeps,
  { integrationId, reference }: BuildOrder,
  general: EvidenceLimits,
): Promise<Pick<Material, 'limits' | 'assumed'>> {
  if (general === FOR_A_PERSON) return { limits: general, assumed: false }
  try {
    const { psp } = await connectIntegration(deps, integrationId)
    const limits = await psp.call(async (adapter) => (await adapter.describeEvidence?.(reference)) ?? general)
    return { limits, assumed: false }
  } catch (error) {
    if (!(error instanceof PspError)) throw error
    return { limits: general, assumed: true }
  }
}
