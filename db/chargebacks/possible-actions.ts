import { sql } from 'kysely'
import type { CommandStatus } from '../../domain/acceptance.ts'
import type { FurtherAnswer, LifecycleStage, PspStatus, ReasonGroup } from '../../domain/chargeback.ts'
import type { Decided } from '../../domain/decision.ts'
import { isDeactivated } from '../../domain/handling.ts'
import type { IntegrationStatus, SecretType, Source } from '../../domain/integration.ts'
import { COMMAND_OF_ROUND, COMMAND_STATE } from '../commands/command-state.ts'
import { answeredElsewhere, type CommandKind } from '../commands/commands.ts'
import type { Database } from '../core/connect.ts'
import { inScope } from '../core/scope.ts'
import { chargebackNotFound } from './chargebacks.ts'
import { loadTerms } from './terms.ts'

/** What decides which actions on a chargeback are possible now; read without a lock, so an action checks it again. */
export interface ActionFacts extends Pick<Decided, 'accepted' | 'submitted' | 'atWork'> {
  source: Source
  secretType: SecretType
  reasonGroup: ReasonGroup
  pspStatus: PspStatus
  furtherAnswer: FurtherAnswer | null
  lifecycleStage: LifecycleStage
  dueDate: Date | null
  integrationStatus: IntegrationStatus
  mergedInto: string | null
  /** The latest command of the current round that has not failed. */
  openCommand: { kind: CommandKind; status: CommandStatus } | null
  /** Through another connection to the same PSP account. */
  answeredElsewhere: boolean
  /** The merchant or integration was deactivated, with effect on this chargeback. */
  deactivated: boolean
}

type Row = Omit<ActionFacts, 'answeredElsewhere' | 'deactivated' | 'openCommand'> & {
  integrationId: string
  reference: string
  pspAccount: string
  round: number
  postingDate: Date | null
  commandKind: CommandKind | null
  commandStatus: CommandStatus | null
}

/** Three statements. @throws Refusal chargeback_not_found */
export async function readActionFacts(
  db: Database,
  { merchantUuid, chargebackId, now }: { merchantUuid: string; chargebackId: string; now: Date },
): Promise<ActionFacts> {
  const { rows } = await sql<Row>`
    select c.integration_id as "integrationId", c.chargeback_id as reference, c.psp_account as "pspAccount", c.round,
      c.posting_date as "postingDate", c.psp_status as "pspStatus", c.further_answer as "furtherAnswer",
      c.lifecycle_stage as "lifecycleStage", c.due_date as "dueDate", c.merged_into as "mergedInto",
      c.reason_group as "reasonGroup", i.source, i.secret_type as "secretType", i.status as "integrationStatus",
      k.kind as "commandKind", k.status as "commandStatus", ${COMMAND_STATE}
    from chargeback c join integration i on i.integration_id = c.integration_id ${COMMAND_OF_ROUND}
    where c.merchant_uuid = ${merchantUuid} and c.id = ${chargebackId}`.execute(db)
  const [row] = rows
  if (!row) throw chargebackNotFound()
  const { integrationId, reference, pspAccount, round, postingDate, commandKind, commandStatus, ...facts } = row
  const terms = (await loadTerms(db, [integrationId])).get(integrationId)
  const dispute = { source: row.source, pspAccount, reference }
  return {
    ...facts,
    openCommand: commandKind && commandStatus ? { kind: commandKind, status: commandStatus } : null,
    // The other connection may be another tenant's: only whether there is one leaves the system's scope.
    answeredElsewhere: await inScope('system', () => answeredElsewhere(db, { chargebackId, dispute, round })),
    deactivated: [terms?.integrationDeactivation, terms?.merchantDeactivation].some(
      (one) => one && isDeactivated(one, { ...row, now }),
    ),
  }
}
