import assert from 'node:assert/strict'
import type { Adapter, Inbox, StoredNotification, SubmissionRequest } from '../../contract.ts'
import { DEFINITE_KINDS, PspError } from '../../errors.ts'
import type { Bench } from '../bench.ts'
import { type Check, must, type Suite, skip } from '../check.ts'
import { type End, PSP_STATES, type PspState } from '../ends.ts'
import { contesting, packetFor, prepare } from '../evidence.ts'

/**
 * Commands end honestly and uniformly: for each state of the dispute at the PSP, an acceptance and a submission end as
 * the adapter's table says, whether nothing was sent before or a call may have arrived. A command that was never sent
 * is never done, unless the PSP itself says that the dispute was accepted.
 */
export const endsSuite: Suite = { name: 'ends', checks: PSP_STATES.map(checkOf) }

function checkOf(state: PspState): Check {
  return {
    name: `${state}: commands end as the table says`,
    async run(bench) {
      const endings = bench.subject.ends[state]
      if (typeof endings === 'string') skip(endings)
      for (const command of ['acceptance', 'submission'] as const) {
        if (!takes(bench, command)) continue
        for (const [index, sent] of [false, true].entries()) {
          const expected = endings[command][index] as End
          const where = `${command}, ${sent ? 'a call of ours may have arrived' : 'never sent'}`
          const { end, reference, why } = await lived(bench, state, command, sent)
          assert.equal(end, expected, `${where}: it ${end} (${why}), the table says ${expected}`)
          if (end === 'failed') must(why.length > 20, `${where}: a merchant has to understand "${why}"`)
          if (sent || end !== 'succeeded') continue
          const said = endings.says
          must(command === 'acceptance' && said, `${where}: nothing was sent, and it is called done`)
          must(/accept|conced|agreed/i.test(said), `${where}: "${said}" is no word for an acceptance`)
          const shown = JSON.stringify(bench.objectOf(reference))
          must(shown.includes(said), `${where}: the PSP does not say "${said}"`)
        }
      }
    },
  }
}

function takes(bench: Bench, command: 'acceptance' | 'submission'): boolean {
  const { accept, contest } = bench.subject.definition.capabilities
  return command === 'acceptance' ? accept !== false : contest !== false
}

interface Lived {
  end: End
  reference: string
  why: string
}

/**
 * A command as the engine runs it: planned while the dispute is open, then the PSP changes its state, then probe and
 * call.
 */
async function lived(
  bench: Bench,
  state: PspState,
  command: 'acceptance' | 'submission',
  sent: boolean,
): Promise<Lived> {
  const { reference, adapter, requirements, planOf, staged } = await contesting(bench)
  const steps = planOf(packetFor(requirements))
  await arrive(bench, state, reference)
  const kind = command
  const effects = () => bench.effects(kind, reference).length
  const before = effects()
  const call = async () => {
    if (command === 'acceptance') return adapter.acceptDispute({ reference, idempotencyKey: `ours:${reference}`, sent })
    const request = { ...(await prepare(adapter, reference, steps, `ours:${reference}`)), sent }
    if (staged) await adapter.stageEvidence(request)
    return adapter.submitEvidence(request)
  }
  const { digest } = steps
  const question = { kind, reference, digest, submissionsBefore: requirements.submissions ?? 0, sent }
  const { answer, why, repeatable } = await adapter.probe(question)
  if (answer === 'unknown' && !repeatable) return { end: 'inProgress', reference, why }
  if (answer === 'not_done' || answer === 'unknown') {
    const refused = await call().then(
      () => null,
      (error: unknown) => error,
    )
    if (refused === null) {
      assert.equal(effects(), before + 1, 'it goes on, and the PSP has no effect of it')
      return { end: 'goes on', reference, why }
    }
    assert.equal(effects(), before, 'it was refused, and the PSP has an effect of it')
    if (!(refused instanceof PspError)) throw refused
    // The refusal of this call says nothing about an earlier call that may have arrived.
    const definite = !sent && (DEFINITE_KINDS as readonly string[]).includes(refused.kind)
    return { end: definite ? 'failed' : 'inProgress', reference, why: refused.message }
  }
  // The call reads first: it ends as the probe says if the state changes between the two.
  if (!sent) {
    const outcome = await call().then(
      ({ result }) => result,
      (error: unknown) => (error instanceof PspError ? error.kind : String(error)),
    )
    const same = answer === 'done' ? outcome === 'already_applied' : outcome === 'rejected_final'
    must(same, `the probe says ${answer}, and the call ${outcome}`)
  }
  assert.equal(effects(), before, `it is ${answer}, and yet a call had an effect`)
  return { end: answer === 'done' ? 'succeeded' : 'failed', reference, why }
}

/** Brings the dispute into the state, as another client would. */
async function arrive(bench: Bench, state: PspState, reference: string): Promise<void> {
  const own = bench.subject.stateMakers?.[state]
  if (own) await own(bench, reference)
  else await common(bench, state, reference)
}

async function common(bench: Bench, state: PspState, reference: string): Promise<unknown> {
  const somebody = bench.connect(strangers(bench)) as Required<Adapter>
  switch (state) {
    case 'waits for an answer':
      return
    case 'lost by decision':
      return bench.control('POST', `/disputes/${reference}/decide`, { outcome: 'lost' })
    case 'won':
      return bench.control('POST', `/disputes/${reference}/decide`, { outcome: 'won' })
    case 'under review':
      return bench.control('PATCH', `/disputes/${reference}`, { status: 'under_review' })
    case 'accepted by somebody at the PSP':
      return somebody.acceptDispute({ reference, idempotencyKey: `theirs:${reference}` })
    case 'expired: nobody answered':
      return bench.control('POST', '/clock', { seconds: 5 * 86_400 })
    case 'evidence of somebody else submitted':
      return somebody.submitEvidence(await theirs(bench, somebody, reference))
    case 'evidence of another client staged':
      return theirs(bench, somebody, reference)
    case 'evidence staged by a person at the PSP':
      throw new Error(`the subject has to say how a person stages evidence at ${bench.subject.definition.displayName}`)
  }
}

/** Evidence of another client of the PSP, uploaded and staged. */
async function theirs(bench: Bench, somebody: Required<Adapter>, reference: string): Promise<SubmissionRequest> {
  const { planSubmission } = bench.subject.definition
  const requirements = await somebody.describeEvidence(reference)
  const steps = planSubmission?.(requirements, packetFor(requirements, 'Of somebody else.'))
  if (!steps) throw new Error('it plans nothing')
  const own = { ...steps, digest: 'f'.repeat(64) }
  const request = await prepare(somebody, reference, own, `theirs:${reference}`)
  if (somebody.stageEvidence) await somebody.stageEvidence(request)
  return request
}

/** Another client sees the PSP's public data only and stores its marks elsewhere. */
function strangers(bench: Bench): { inbox: Inbox } | Record<string, never> {
  const inbox = bench.inbox()
  if (!inbox) return {}
  const notes: { reference: string; row: StoredNotification }[] = []
  return {
    inbox: {
      ...inbox,
      async about(reference) {
        const own = notes.filter((note) => note.reference === reference)
        return [...(await inbox.about(reference)), ...own.map(({ row }) => row)]
      },
      async note(reference, body) {
        notes.push({ reference, row: { position: `note-${notes.length}`, receivedAt: bench.now(), body } })
      },
    },
  }
}
