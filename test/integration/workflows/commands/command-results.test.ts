import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { APPLIED, FOUND } from '../../../../db/commands/psp-operations.ts'
import { openInbox } from '../../../../workflows/activities/polling/inbox.ts'
import { accept, acceptCalls } from './accept-in-process.ts'
import { type Fixture, openFixture, subjectOf } from './submission-fixture.ts'

/** How commands end when the dispute changes before they are sent. Real activities and database, no Temporal. */

describe.each(['stripe', 'paypal', 'braintree', 'adyen', 'recoup_sandbox'])('%s', (source) => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(subjectOf(source))
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  test('decided lost before the acceptance was sent: failed with an error message, no call', async () => {
    const { ref, id } = await fixture.open()
    const decide = () => fixture.control('POST', `/disputes/${ref}/decide`, { outcome: 'lost' })
    const { command, operation, timeline, calls } = await accept(fixture, id, decide)
    expect(command).toMatchObject({ status: 'failed', error: expect.stringMatching(/\w+ \w+ \w+ \w+/) })
    expect(acceptCalls(source, calls, ref)).toEqual([])
    expect(await fixture.effects(ref, 'acceptance')).toEqual([])
    expect(operation).toMatchObject({ state: 'rejected', attempts: 0 })
    const ends = timeline.filter(({ what }) => what.startsWith('acceptance ') && what !== 'acceptance requested')
    expect(ends).toMatchObject([{ what: 'acceptance failed', after: { error: command.error } }])
    expect(await fixture.chargeback(ref)).toMatchObject({ psp_status: 'lost', status: 'not_represented' })
  })

  test('accepted by us: applied and reported once, with the status reason of an acceptance', async () => {
    const { ref, id } = await fixture.open()
    const { command, operation, timeline, calls } = await accept(fixture, id, async () => undefined)
    expect(command.status).toBe('succeeded')
    expect(operation).toMatchObject({ state: 'confirmed', outcome: APPLIED })
    expect(acceptCalls(source, calls, ref)).toHaveLength(1)
    expect(await fixture.chargeback(ref)).toMatchObject({
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
      const { ref, id } = await fixture.open()
      const theirs = async () => {
        const definition = subjectOf(source).definition
        const { secretPayload, homeSecretPayload = secretPayload, secretType } = subjectOf(source).simulator
        const secret =
          definition.secrets[secretType as keyof typeof definition.secrets]?.schema.parse(homeSecretPayload)
        // The other party gets the PSP's notifications, but leaves no mark of ours.
        const inbox = { ...openInbox(fixture.deps, fixture.integrationId), note: async () => undefined }
        const adapter = definition.connect({
          ...{ secret, externalIdentifier: fixture.account, pspAccount: fixture.account, environment: 'sandbox' },
          ...{ baseUrl: fixture.deps.baseUrls[definition.source] ?? null, fetch, now: () => new Date() },
          ...(definition.capabilities.listing === 'inbox' && { inbox }),
        })
        await adapter.acceptDispute?.({ reference: ref, idempotencyKey: 'theirs' })
      }
      const { command, operation, timeline, calls } = await accept(fixture, id, theirs)
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
  await using fixture = await openFixture(subjectOf('stripe'))
  const { ref, id } = await fixture.open()
  const { evidence, evidence_details } = fixture.engine.read(fixture.engine.find(ref) as never) as Record<
    string,
    object
  >
  await fixture.control('PATCH', `/disputes/${ref}`, {
    fields: {
      evidence: { ...evidence, receipt: 'file_theirs' },
      evidence_details: { ...evidence_details, has_evidence: true },
    },
  })
  const { command, timeline } = await accept(fixture, id, async () => undefined)
  expect(command.status).toBe('succeeded')
  const lost = { psp_status: 'lost', status: 'not_represented', status_reason: 'It was accepted at the PSP.' }
  expect(await fixture.chargeback(ref)).toMatchObject(lost)
  expect(JSON.stringify(timeline)).not.toContain('evidence_not_submitted_by_psp')
  await fixture.poll()
  expect(await fixture.chargeback(ref)).toMatchObject(lost)
})
