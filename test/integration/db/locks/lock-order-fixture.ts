import type { Connection } from '../../../../db/integrations/connections.ts'
import type { BuiltPackage } from '../../../../db/packages/packages.ts'
import type { Page, Readings, Reread, StoredChargeback } from '../../../../db/polling/page.ts'
import type { ChargebackFacts } from '../../../../domain/chargeback.ts'
import { projectChargeback } from '../../../../workflows/activities/polling/projection.ts'

/** A dispute as a poll reads it, decided under the connection's rules. */
export function readingOf(
  reference: string,
  hash: Buffer,
  stored: StoredChargeback | null,
  connection: Connection,
): Readings {
  const now = new Date()
  const projected = projectChargeback({
    facts: {
      ...{ chargebackId: reference, psp: 'stripe', currency: 'USD', amountMinor: 100n, amountExponent: 2 },
      ...{ postingDate: null, transactionCreatedDate: null, dueDate: null, pspStatusChangeDate: null, arn: null },
      ...{
        pspStatus: 'needs_response',
        lifecycleStage: 'chargeback',
        transactionId: null,
        merchantReferenceName: null,
      },
      ...{ externalTransactionIdentifier: null, reasonCode: null, reason: null, cardScheme: null, paymentMethod: null },
      ...{ bin: null, cardLastFourDigits: null, billingCountry: null, pspSequence: null },
    } as ChargebackFacts,
    anomalies: [],
    stored,
    connection,
    closedCases: () => ({ won: 0, lost: 0 }),
    ...{ account: 'acct_1', pspAccount: 'acct_1', hash, readAt: now, now, translationVersion: 1 },
  })
  if (!projected) throw new Error('nothing has changed')
  const { columns, timeline } = projected
  const raw = [{ reference, text: '{}' }]
  return { chargebacks: [columns], raw, timeline, rulesVersion: connection.rulesVersion, now }
}

/** A page with one changed dispute and some that did not change. */
export const pageOf = (connection: Connection, reading: Readings, rereads: Reread[] = []): Page => ({
  ...reading,
  rereads,
  ...{ quarantined: [], translationVersion: 1, cursor: { version: 1, value: {} }, listed: null },
  ...{ erasures: connection.erasures, standsAlone: connection.pagesStandAlone, rawForm: connection.rawForm },
})

/** A package that names a person. */
export const builtFor = (address: string, digest: string): BuiltPackage => ({
  digest,
  summary: {
    ...{ play: 'general', playbook: { id: 'general', version: 1, override: null }, completeness: 1, manualOnly: false },
    ...{ requiredMissing: 0, kept: [], contradicted: false },
  } as BuiltPackage['summary'],
  content: {
    ...{ texts: {}, textsLeftOut: [], statements: [], exhibits: [], filesLeft: [], requiredMissing: [], missing: [] },
    ...{ warnings: [], addresses: [address] },
  },
  pdf: { bytes: Buffer.from('%PDF-1.7\n'), pages: 1 },
  ...{ place: null, refused: null, dropped: [], againInMinutes: null },
})
