import { sql } from 'kysely'
import type { PspStatus } from '../../domain/chargeback.ts'
import type { Decided } from '../../domain/decision.ts'
import { isDeactivated } from '../../domain/handling.ts'
import { shouldFightRefusal } from '../../domain/should-fight.ts'
import { COMMAND_OF_ROUND, COMMAND_STATE } from '../commands/command-state.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { inTransaction } from '../core/transaction.ts'
import { chargebackNotFound } from './chargebacks.ts'
import { recomputeChargebacks } from './recompute.ts'
import { loadTerms } from './terms.ts'

/**
 * Stores a client's decision whether to fight a chargeback, with author and time, and applies it. Until the next
 * decision it overrides scope rules, go-live date and account setting. Nothing happens at the PSP. The same decision
 * again changes nothing, and is no act that a change of the chargeback would prevent.
 * @throws Refusal chargeback_not_found, or invalid with the code of the unmet precondition
 */
export function decideShouldFight(
  db: Database,
  asked: {
    merchantUuid: string
    chargebackId: string
    shouldFight: boolean
    credentialId: string
    now: Date
    /** Called with the chargeback locked; what it throws prevents the decision. */
    unchanged?: ((locked: Database) => Promise<void>) | undefined
  },
): Promise<void> {
  const { merchantUuid, chargebackId, shouldFight, credentialId, now } = asked
  return inTransaction(db, async (trx) => {
    // Commands are requested under the same lock, so read them after it.
    const locked = await trx
      .selectFrom('chargeback')
      .select('id')
      .where('merchant_uuid', '=', merchantUuid)
      .where('id', '=', chargebackId)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!locked) throw chargebackNotFound()
    const before = await readState(trx, chargebackId)
    const terms = (await loadTerms(trx, [before.integrationId])).get(before.integrationId)
    const deactivated = [terms?.integrationDeactivation, terms?.merchantDeactivation].some(
      (one) => one && isDeactivated(one, { ...before, now }),
    )
    const refusal = shouldFightRefusal({ ...before, commands: before, deactivated, now })
    if (!refusal && before.shouldFight === shouldFight) return
    await asked.unchanged?.(trx)
    if (refusal) throw new Refusal('invalid', refusal.code, refusal.message)
    await sql`
      with told as (
        insert into timeline_event (merchant_uuid, chargeback_id, source, what, before, after)
        values (${merchantUuid}, ${chargebackId}, 'api', 'should-fight decided',
          ${JSON.stringify({ shouldFight: before.shouldFight })}, ${JSON.stringify({ shouldFight, credentialId })})
      )
      update chargeback set should_fight = ${shouldFight}, should_fight_at = ${now}, should_fight_by = ${credentialId},
        version = version + 1, updated_at = now()
      where id = ${chargebackId}`.execute(trx)
    await recomputeChargebacks(trx, { merchantUuid, chargebackIds: [chargebackId] }, { now, source: 'api' })
  })
}

type State = Pick<Decided, 'accepted' | 'submitted' | 'atWork' | 'shouldFight'> & {
  integrationId: string
  pspStatus: PspStatus
  dueDate: Date | null
  postingDate: Date | null
}

async function readState(db: Database, chargebackId: string): Promise<State> {
  const { rows } = await sql<State>`
    select c.integration_id as "integrationId", c.psp_status as "pspStatus", c.due_date as "dueDate",
      c.posting_date as "postingDate", c.should_fight as "shouldFight", ${COMMAND_STATE}
    from chargeback c ${COMMAND_OF_ROUND} where c.id = ${chargebackId}`.execute(db)
  return rows[0] as State
}
