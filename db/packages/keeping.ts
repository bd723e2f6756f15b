import type { PackageContent } from '../../domain/evidence/package/package-content.ts'
import type { Database } from '../core/connect.ts'
import { type KeyRing, seal, sealContext } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { openContent } from './freezing.ts'
import { type BuiltPackage, holds, noteBuilt, type Stored } from './packages.ts'
import type { BuildOrder } from './wanted.ts'

/**
 * For a failed build of unchanged data. Keeps the current package and adds a warning to it, if all of its sentences are
 * still true and the PSP accepts the size of its PDF. A build that can never succeed is not tried again.
 * @param failed `content`: what could be said now; `digest`: null if the build is tried again
 * @returns null if there is no such package; of a build that is tried again only if the current one may not stay
 */
export function keepPackage(
  db: Database,
  ring: KeyRing,
  order: BuildOrder,
  failed: Pick<BuiltPackage, 'content' | 'refused' | 'againInMinutes'> & { digest: string | null },
  limits: { bytes: number; pages: number },
): Promise<Stored | null> {
  return inTransaction(db, async (trx) => {
    if (!(await holds(trx, order))) return 'changed'
    const current = await trx
      .selectFrom('evidence_package')
      .select(['package_id', 'content_sealed', 'pages', 'bytes'])
      .where('chargeback_id', '=', order.chargebackId)
      .where('round', '=', order.round)
      .where('state', '=', 'current')
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!current && failed.digest === null) {
      await noteBuilt(trx, order, failed)
      return 'unchanged'
    }
    const content = current && openContent(ring, current.package_id, current.content_sealed)
    if (!content || !saidIn(content).every((words) => saidIn(failed.content).includes(words))) return null
    if ((current.bytes ?? 0) > limits.bytes || (current.pages ?? 0) > limits.pages) return null
    const warning = `A later build failed, so this package stays: ${failed.refused}`
    const warned = { ...content, warnings: [...new Set([...content.warnings, warning])] }
    await trx
      .updateTable('evidence_package')
      .set({
        // No build has this one, so that the next successful one removes the warning.
        digest: failed.digest ?? 'kept',
        content_sealed: seal(ring, JSON.stringify(warned), sealContext.evidencePackage(current.package_id)),
      })
      .where('package_id', '=', current.package_id)
      .execute()
    await noteBuilt(trx, order, failed)
    return 'unchanged'
  })
}

/** Not by their ids: `2 earlier payments` no longer holds when one of them is disputed. */
const saidIn = ({ statements }: PackageContent) => statements.flatMap(({ kept, text }) => (kept && text ? [text] : []))
