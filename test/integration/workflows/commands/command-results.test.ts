import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { APPLIED, FOUND } from '../../../../db/commands/psp-operations.ts'
import { openInbox } from '../../../../workflows/activities/polling/inbox.ts'
import { accept, acceptCalls } from './accept-in-process.ts'
import { openScene, type Scene, subjectOf } from './submission-scene.ts'

/** How commands end when the dispute changes before they are sent. Real activities and database, no Temporal. */

describe.each(['stripe', 'paypal', 'braintree', 'adyen', 'recoup_sandbox'])('%s', (source) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene(subjectOf(source))
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  test('decided lost before the acceptance was sent: failed with an error message, no call', async () => {
    const { ref, id } = await scene.open()
    const decide = () => scene.control('POST', `/disputes/${ref}/decide`, { outcome: 'lost' })
    const { command, operation, timeline, calls } = await accept(scene, id, decide)
    expect(command).toMatchObject({ status: 'failed', error: expect.stringMatching(/\w+ \w+ \w+ \w+/) })
    expect(acceptCalls(source, calls, ref)).toEqual([])
    expect(await scene.effects(ref, 'acceptance')).toEqual([])
    expect(operation).toMatchObject({ state: 'rejected', attempts: 0 })
    const ends = timeline.filter(({ what }) => what.startsWith('acceptance ') && what !== 'acceptance requested')
    expect(ends).toMatchObject([{ what: 'acceptance failed', after: { error: command.error } }])
    expect(await scene.chargeback(ref)).toMatchObject({ psp_status: 'lost', status: 'not_represented' })
  })

  test('accepted by us: applied and reported once, with the status reason of an acceptance', async () => {
    const { ref, id } = await scene.open()
    const { command, operation, timeline, calls } = await accept(scene, id, async () => undefined)
    expect(command.status).toBe('succeeded')
    expect(operation).toMatchObject({ state: 'confirmed', outcome: APPLIED })
    expect(acceptCalls(source, calls, ref)).toHaveLength(1)
    expect(await scene.chargeback(ref)).toMatchObject({
      ...{ psp_status: 'lost', status: 'not_represented', status_reason: 'It was accepted at the PSP.' },
    })
    const [end] = timeline.filter(({ what }) => what === 'acceptance succeeded')
    expect(end?.after).not.toHaveProperty('foundAtPsp')
    const moves = timeline.filter(({ what }) => what === 'status changed' || what === 'reason changed')
    expect(moves.map(({ after }) => after)).toEqual([
      { status: 'not_represented', reason: 'It was accepted at the PSP.' },
    ])
    expect(JSON.stringify(timeline)).not.toContain('lost or accepted')
  })

  // Stripe does not show an acceptance.
  test.skipIf(source === 'stripe')(
    'already accepted at the PSP by another party: succeeded, found there, no call',
    async () => {
      const { ref, id } = await scene.open()
      const theirs = async () => {
        const definition = subjectOf(source).definition
        const { secretPayload, homeSecretPayload = secretPayload, secretType } = subjectOf(source).simulator
        const secret =
          definition.secrets[secretType as keyof typeof definition.secrets]?.schema.parse(homeSecretPayload)
        // The other party gets the PSP's notifications, but leaves no mark of ours.
        const inbox = { ...openInbox(scene.deps, scene.integrationId), note: async () => undefined }
        const adapter = definition.connect({
          ...{ secret, externalIdentifier: scene.account, pspAccount: scene.account, environment: 'sandbox' },
          ...{ baseUrl: scene.deps.baseUrls[definition.source] ?? null, fetch, now: () => new Date() },
          ...(definition.capabilities.listing === 'inbox' && { inbox }),
        })
        await adapter.acceptDispute?.({ reference: ref, idempotencyKey: 'theirs' })
      }
      const { command, operation, timeline, calls } = await accept(scene, id, theirs)
      expect(command.status).toBe('succeeded')
      expect(acceptCalls(source, calls, ref)).toEqual([])
      expect(operation).toMatchObject({ state: 'confirmed', outcome: FOUND, attempts: 0 })
      expect(timeline.filter(({ what }) => what === 'acceptance succeeded')).toMatchObject([
        { after: { foundAtPsp: true } },
      ])
    },
  )
})

test('stripe: an acceptance takes precedence over evidence that was staged before it', async () => {
  await using scene = await openScene(subjectOf('stripe'))
  const { ref, id } = await scene.open()
  const { evidence, evidence_details } = scene.engine.read(scene.engine.find(ref) as never) as Record<string, object>
  await scene.control('PATCH', `/disputes/${ref}`, {
    fields: {
      evidence: { ...evidence, receipt: 'file_theirs' },
      evidence_details: { ...evidence_details, has_evidence: true },
    },
  })
  const { command, timeline } = await accept(scene, id, async () => undefined)
  expect(command.status).toBe('succeeded')
  const lost = { psp_status: 'lost', status: 'not_represented', status_reason: 'It was accepted at the PSP.' }
  expect(await scene.chargeback(ref)).toMatchObject(lost)
  expect(JSON.stringify(timeline)).not.toContain('evidence_not_submitted_by_psp')
  await scene.poll()
  expect(await scene.chargeback(ref)).toMatchObject(lost)
})
