import { type Attempt, effectOf } from './attempt.ts'
import type { FaultPoint } from './points.ts'

/** A statement as it is sent, in one line. */
export interface Statement {
  text: string
  parameters: readonly unknown[]
}

/** `claim` of the outbox. */
const CLAIMS = /^update outbox set attempts = attempts \+ 1/
/** `findNews`. */
const COMPARES = /content_hash is distinct from seen\.hash/
/** `openOperation`, `markSending` and `markOperation` of the ledger of effects. */
const OPENS = /insert into psp_operation/
const SENDS = /update psp_operation o set state = 'submitting'/
const MARKS = /^update "psp_operation" set "state"/
/** `isLatest`: the package is composed. */
const COMPOSED = /^select "digest", "state" from "evidence_package"/
/** `lockForCommand`: its parameters are the merchant and the chargeback. */
const TURN = /^select "i"\."source", "c"\."chargeback_id" as "reference" from "chargeback" as "c"/
/** `recordPoll` of a poll that read its list to the end. */
const ENDS = /update integration i set polled_at = now\(\), last_successful_poll_at/

/**
 * `dueRereads` and `dueChargebacks`: what a poll reads next. A shard records the ends of many polls by one statement, at
 * which no single one could be held.
 */
const SWEEPS = /^select .* from "chargeback" where "integration_id" = \$1 and "reread_after" <= now\(\) order by/

/** Before the first statement of the transaction that submits a package; it sets whose turn it is. */
export function beforeTurn({ text, parameters }: Statement, attempt: Attempt | undefined): FaultPoint | null {
  if (attempt?.activity !== 'submitAutomatically' || !TURN.test(text)) return null
  attempt.about = String(parameters[1])
  return 'automatic.before_request'
}

export function beforeStatement({ text }: Statement, attempt: Attempt | undefined): FaultPoint | null {
  if (CLAIMS.test(text)) return 'dispatch.before_claim'
  if (!attempt) return null
  const { activity, input } = attempt
  if (activity === 'uploadFile' && OPENS.test(text) && input.step !== 0) return 'submit.between_uploads'
  if (activity === 'ingestPages' && !attempt.ended && (ENDS.test(text) || SWEEPS.test(text))) {
    attempt.ended = true
    return 'poll.before_end'
  }
  const effect = effectOf(attempt)
  return effect && SENDS.test(text) ? `${effect}.before_psp` : null
}

export function afterStatement(
  { text, parameters }: Statement,
  rows: readonly unknown[],
  attempt: Attempt | undefined,
): FaultPoint | null {
  if (!attempt) return null
  const { activity } = attempt
  if (activity === 'buildPackage' && COMPOSED.test(text)) return 'build.before_render'
  if (activity === 'ingestPages' && COMPARES.test(text)) attempt.page.compared = true
  if (activity === 'stageAtPsp' && MARKS.test(text) && parameters.includes('confirmed')) return 'submit.after_stage'
  // Without a row another attempt makes the call.
  if (!SENDS.test(text) || rows.length === 0) return null
  if (activity === 'uploadFile') return 'submit.before_upload'
  if (activity === 'stageAtPsp') return 'submit.before_stage_call'
  const effect = effectOf(attempt)
  return effect && `${effect}.before_call`
}
