import { describe, expect, test } from 'vitest'
import type { EvidenceFile } from '../../../../adapters/contract.ts'
import type { PspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import type { EvidenceParam } from '../../../../adapters/stripe/client.ts'
import { requirementsOf } from '../../../../adapters/stripe/evidence.ts'
import { EVIDENCE_LIMITS, FILE_FIELDS } from '../../../../adapters/stripe/evidence-limits.ts'
import { planSubmission } from '../../../../adapters/stripe/plan.ts'
import { submissionVerdict } from '../../../../adapters/stripe/probe.ts'
import { TEXT_FIELDS, FILE_FIELDS as THEIRS } from '../../../../simulators/stripe/specs.ts'
import { connectStripe, sampleDispute } from '../loopback.ts'

const NOW = new Date('2026-09-30T00:00:00Z')

function requirements(changes: Record<string, unknown> = {}) {
  return requirementsOf({ reference: 'dp_sample1', text: JSON.stringify(sampleDispute(changes)) }, NOW)
}
const details = (changes: Record<string, unknown>) => ({
  evidence_details: { ...(sampleDispute().evidence_details as object), ...changes },
})
const file = (fileId: string, changes: Partial<EvidenceFile> = {}): EvidenceFile => ({
  fileId,
  name: `${fileId}.pdf`,
  type: 'application/pdf',
  bytes: 1000,
  sha256: fileId.padEnd(64, '0'),
  ...changes,
})

describe('what a dispute accepts', () => {
  test('an open dispute accepts files, texts and one submission', () => {
    expect(requirements()).toMatchObject({ answerable: true, reason: null, oneShot: true, maxPages: 50 })
    expect(requirements().dueDate).toBe('2026-10-03T04:00:00.000Z')
  })

  test.each([
    ['no due date', details({ due_by: null }), /bank takes no response/],
    ['a due date of 0', details({ due_by: 0 }), /bank takes no response/],
    ['a due date that passed', details({ due_by: NOW.getTime() / 1000 - 1 }), /due date has passed/],
    ['past_due', details({ past_due: true }), /due date has passed/],
    [
      'an inquiry that was contested',
      { status: 'warning_needs_response', ...details({ submission_count: 1 }) },
      /submitted already/,
    ],
    ['a decided dispute', { status: 'won' }, /reports the dispute as won/],
    ['a dispute under review', { status: 'under_review' }, /under review/],
    [
      'a Klarna inquiry, whose evidence is ignored',
      { status: 'warning_needs_response', payment_method_details: { type: 'klarna' } },
      /Klarna/,
    ],
  ])('%s: not answerable, with the reason', (_, changes, reason) => {
    expect(requirements(changes)).toMatchObject({ answerable: false, reason: expect.stringMatching(reason) })
  })

  test.each(['needs_response', 'appeal_needs_response'])('%s can be contested again after a submission', (status) =>
    expect(requirements({ status, ...details({ submission_count: 1 }) }).answerable).toBe(true),
  )

  test('Mastercard accepts 19 pages', () =>
    expect(requirements({ payment_method_details: { type: 'card', card: { network: 'mastercard' } } }).maxPages).toBe(
      19,
    ))
})

describe('the limits of evidence', () => {
  test('PDF, JPEG and PNG of 5 MB each, nine file fields, 4.5 MB and 50 pages in total', () => {
    // Fails to compile if the SDK's types lack a field.
    const fields: readonly (keyof EvidenceParam)[] = FILE_FIELDS
    expect(EVIDENCE_LIMITS).toMatchObject({
      fileTypes: ['application/pdf', 'image/jpeg', 'image/png'],
      maxFileBytes: 5 * 1024 * 1024,
      maxTotalBytes: 4.5 * 1024 * 1024,
      maxPages: 50,
      fileFields: fields,
      maxFiles: 9,
    })
    expect([...FILE_FIELDS].sort()).toEqual([...THEIRS].sort())
  })

  test('eight texts of 20 000 characters, ten of 5 000, 150 000 in total', () => {
    const limits = Object.values(EVIDENCE_LIMITS.textFields)
    expect(limits.filter((limit) => limit === 20_000)).toHaveLength(8)
    expect(limits.filter((limit) => limit === 5_000)).toHaveLength(10)
    expect(EVIDENCE_LIMITS.textFields).toEqual(TEXT_FIELDS)
    expect(EVIDENCE_LIMITS.maxTextCharacters).toBe(150_000)
  })

  test.each([
    ['a file of another type', 'text/plain', 10],
    ['more than 5 MB', 'application/pdf', 5 * 1024 * 1024 + 1],
  ])('%s is refused before it is sent', async (_, type, bytes) => {
    const called: PspFetch = () => Promise.reject(new Error('the file was sent'))
    const adapter = connectStripe('http://127.0.0.1:9', { fetch: called })
    const upload = {
      reference: 'dp_sample1',
      idempotencyKey: 'k',
      file: { name: 'a', type, data: Buffer.alloc(bytes) },
    }
    await expect(adapter.uploadFile(upload)).rejects.toMatchObject({
      kind: 'invalid_request',
      message: expect.stringMatching('5 MB'),
    })
  })
})

describe('planning a submission', () => {
  test('a second file for a field goes to uncategorized_file, and other files are dropped', () => {
    const plan = planSubmission(requirements(), {
      files: [file('a'), file('b', { field: 'receipt' }), file('c', { field: 'receipt' }), file('d')],
      texts: { product_description: 'A book' },
    })
    expect(plan.steps).toEqual([
      { do: 'upload', fileId: 'b', field: 'receipt' },
      { do: 'upload', fileId: 'c', field: 'uncategorized_file' },
      { do: 'stage' },
      { do: 'submit' },
    ])
    expect(plan.dropped.map((drop) => drop.what)).toEqual(['a', 'd'])
    expect(plan.dropped[0]?.why).toMatch('one PDF')
  })

  test('without files and texts the plan has no steps', () => {
    const plan = planSubmission(requirements(), { files: [], texts: { product_description: '  ' } })
    expect(plan.steps).toEqual([])
    expect(plan.dropped).toEqual([{ what: 'product_description', why: 'it is empty' }])
  })

  test('texts are cut at their own limit and at the total limit, never inside a character', () => {
    const texts = Object.fromEntries(
      Object.keys(EVIDENCE_LIMITS.textFields).map((field) => [field, '🙂'.repeat(10_001)]),
    )
    const plan = planSubmission(requirements(), { files: [], texts })
    const total = Object.values(plan.texts).reduce((sum, text) => sum + text.length, 0)
    expect(total).toBeLessThanOrEqual(150_000)
    for (const [field, text] of Object.entries(plan.texts)) {
      expect(text.isWellFormed()).toBe(true)
      expect(text.length).toBeLessThanOrEqual(EVIDENCE_LIMITS.textFields[field] ?? 0)
    }
    const named = [...plan.shortened.map((cut) => cut.field), ...plan.dropped.map((drop) => drop.what)]
    expect(named.sort()).toEqual(Object.keys(texts).sort())
  })

  test('the total size of all files stays below the limit', () => {
    const big = { bytes: 3 * 1024 * 1024 }
    const plan = planSubmission(requirements(), {
      files: [file('a', { ...big, field: 'receipt' }), file('b', { ...big, field: 'refund_policy' })],
      texts: {},
    })
    expect(plan.dropped.map((drop) => drop.what)).toEqual(['b'])
  })

  test('the digest depends on the content, not on names or order', () => {
    const digest = (files: ReturnType<typeof file>[], texts: Record<string, string>) =>
      planSubmission(requirements(), { files, texts }).digest
    const [a, b] = [file('a', { field: 'receipt' }), file('b', { field: 'refund_policy' })]
    expect(digest([a, b], { customer_name: 'J', service_date: 'x' })).toBe(
      digest([b, { ...a, fileId: 'other', name: 'other.pdf' }], { service_date: 'x', customer_name: 'J' }),
    )
    expect(digest([a], {})).not.toBe(digest([{ ...a, sha256: 'f'.repeat(64) }], {}))
    expect(digest([a], {})).not.toBe(digest([{ ...a, field: 'refund_policy' }], {}))
  })
})

describe('whether our submission was sent', () => {
  const verdict = (changes: Record<string, unknown>, sent: boolean) =>
    submissionVerdict(
      { status: 'under_review', submissionCount: 1, submissionMethod: 'manual', evidenceDigest: 'ours', ...changes },
      { digest: 'ours', submissionsBefore: 0, sent },
    ).answer

  test.each([
    ['count rose with our digest', {}, 'done', 'impossible'],
    ['count rose with another digest', { evidenceDigest: 'theirs' }, 'impossible', 'impossible'],
    ['count rose without a digest', { evidenceDigest: null }, 'impossible', 'impossible'],
    ['Smart Disputes submitted', { submissionMethod: 'smart_disputes' }, 'impossible', 'impossible'],
    ['our digest, but only staged', { status: 'needs_response', submissionCount: 0 }, 'not_done', 'not_done'],
    ['decided without a submission', { status: 'lost', submissionCount: 0 }, 'impossible', 'impossible'],
    ['under review without a count', { submissionCount: 0 }, 'unknown', 'impossible'],
    ['an unknown status', { status: 'new_word', submissionCount: 0 }, 'unknown', 'unknown'],
  ])('%s', (_, changes, whenSent, neverSent) => {
    expect(verdict(changes, true)).toBe(whenSent)
    expect(verdict(changes, false)).toBe(neverSent)
  })
})
