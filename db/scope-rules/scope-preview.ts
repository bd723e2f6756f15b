import { decideHandling } from '../../domain/decision.ts'
import { createScopePreview, type ScopePreview } from '../../domain/previews/scope-preview.ts'
import type { ScopeRules } from '../../domain/scope.ts'
import { tidyRules } from '../../domain/scope-options.ts'
import { findChargebacks, inputsOf, nextSlice, readChargebacks } from '../chargebacks/decision-inputs.ts'
import { loadTerms } from '../chargebacks/terms.ts'
import type { Database } from '../core/connect.ts'
import { integrationNotFound } from '../core/refusal.ts'
import { readScopeRules } from './scope-settings.ts'

/**
 * What saving these rules would do to the integration's chargebacks: the same chargebacks, slices and decision as the
 * evaluation that follows `saveScopeRules` (`recomputeChargebacks`), without locks and writes. Two statements for each 500
 * chargebacks; holds one slice at a time.
 * @throws Refusal integration_not_found, also for an integration of another merchant
 */
export async function previewScopeRules(
  db: Database,
  asked: { merchantUuid: string; integrationId: string; rules: ScopeRules; now: Date },
): Promise<ScopePreview> {
  const { merchantUuid, integrationId, now } = asked
  const { version } = await readScopeRules(db, { merchantUuid, integrationId })
  const current = (await loadTerms(db, [integrationId])).get(integrationId)
  if (!current) throw integrationNotFound()
  const terms = { ...current, scope: { version: version + 1, rules: tidyRules(asked.rules) } }
  const preview = createScopePreview()
  for (let after: string | null | undefined; after !== null; ) {
    const slice = { integrationId, merchantUuid, ...(after && { after }) }
    const rows = await readChargebacks(db, await findChargebacks(db, slice, false))
    for (const row of rows) {
      const { subject, before } = inputsOf(row)
      preview.add(row, decideHandling(terms, subject, before, now))
    }
    after = nextSlice(slice, rows)
  }
  return preview.read()
}
