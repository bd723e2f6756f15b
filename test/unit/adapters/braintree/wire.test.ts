import { describe, expect, test } from 'vitest'
import { fileName, markOf } from '../../../../adapters/braintree/documents/marks.ts'
import { FILE_CATEGORIES, TEXT_CATEGORIES } from '../../../../adapters/braintree/evidence-limits.ts'
import type { AdapterContext } from '../../../../adapters/contract.ts'
import { type PspFetch, pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { connectTo, INITIAL, refusal, sendXml, simulated, startServer } from './connect.ts'

interface Sent {
  line: string
  headers: Record<string, unknown>
  body: string
}

const DISPUTE = '<dispute><id>d1</id><status>open</status><reply-by-date type="date">2099-01-01</reply-by-date>'
const EMPTY = `<disputes type="collection"><current-page-number type="integer">1</current-page-number>
  <page-size type="integer">50</page-size><total-items type="integer">0</total-items></disputes>`

/** A Braintree that accepts everything and changes nothing; `sent` has the requests. */
async function listening(evidence = '') {
  const sent: Sent[] = []
  const server = await startServer((request, response, body) => {
    const path = request.url?.replace('/merchants/recoupdemo', '') ?? ''
    sent.push({ line: `${request.method} ${path}`, headers: request.headers, body })
    if (request.method === 'DELETE') return sendXml(response, 200, ' ')
    if (path.startsWith('/disputes/advanced_search')) return sendXml(response, 200, EMPTY)
    if (path.startsWith('/transactions')) return sendXml(response, 200, '<transaction><id>t1</id></transaction>')
    if (path.startsWith('/document_uploads'))
      return sendXml(response, 201, '<document-upload><id>u1</id></document-upload>')
    if (path.endsWith('/evidence')) return sendXml(response, 201, '<evidence><id>e1</id></evidence>')
    sendXml(response, 200, `${DISPUTE}<evidence type="array">${evidence}</evidence></dispute>`)
  })
  return { sent, server, adapter: connectTo(server.url), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const request = { reference: 'd1', idempotencyKey: 'k', digest: 'd'.repeat(64) }
const PROOF = { name: 'proof.pdf', type: 'application/pdf' }
const MARK = markOf(request)
const DOCUMENT = `<evidence><id>e0</id><category>GENERAL</category><url>https://documents.example.com/${fileName(PROOF, MARK)}</url></evidence>`

describe('requests', () => {
  test('have keys, version, content types and the SDK’s user agent', async () => {
    await using braintree = await listening()
    await braintree.adapter.listDisputes({ cursor: INITIAL, oldestOpen: null })
    expect(braintree.sent[0]?.line).toBe('POST /disputes/advanced_search?page=1')
    expect(braintree.sent[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('rcpdemo7k2m9q4x8:5f0c2d9b7a4e81c3d6f2a9b04e7c1d38').toString('base64')}`,
      'x-apiversion': '6',
      accept: 'application/xml',
      'content-type': 'application/json',
      'user-agent': 'Braintree Node 3.40.0',
      'accept-encoding': 'gzip',
    })
  })

  test('for a credential check search a dispute that does not exist, and list the merchant accounts', async () => {
    await using braintree = await listening()
    await braintree.adapter.checkCredentials()
    const [search, accounts] = braintree.sent
    expect([search?.line, JSON.parse(search?.body ?? '')]).toEqual([
      'POST /disputes/advanced_search?page=1',
      { search: { id: { is: 'credential-check' } } },
    ])
    expect(accounts?.line).toBe('GET /merchant_accounts?page=1')
  })

  test('read by id', async () => {
    await using braintree = await listening()
    await braintree.adapter.fetchDispute('d1')
    await braintree.adapter.fetchContext({ reference: 'd1', text: '{"transaction":{"id":"t1"}}' })
    expect(braintree.sent.map(({ line }) => line)).toEqual(['GET /disputes/d1', 'GET /transactions/t1'])
  })

  test('to accept and finalize have no body', async () => {
    await using braintree = await listening()
    await using withEvidence = await listening(
      `${DOCUMENT}<evidence><category>GENERAL</category><comment>x</comment></evidence>`,
    )
    await refusal(braintree.adapter.acceptDispute(request))
    await refusal(
      withEvidence.adapter.submitEvidence({ ...request, files: { GENERAL: 'u1' }, texts: { GENERAL: 'x' } }),
    )
    const puts = [...braintree.sent, ...withEvidence.sent].filter(({ line }) => line.startsWith('PUT'))
    expect(puts.map(({ line }) => line)).toEqual(['PUT /disputes/d1/accept', 'PUT /disputes/d1/finalize'])
    for (const { headers, body } of puts) expect([headers['content-length'], body]).toEqual(['0', ''])
  })

  test('with evidence use snake_case names and leave the content unchanged', async () => {
    const old = DOCUMENT.replace(fileName(PROOF, MARK), fileName(PROOF, { ...MARK, package: '00000000' }))
    await using braintree = await listening(old)
    const packet = { files: { PROOF_OF_DELIVERY: 'u1' }, texts: { PURCHASER_NAME: 'Ada <Ärden> & Co' } }
    await braintree.adapter.stageEvidence({ ...request, ...packet })
    const [removal, file, text] = braintree.sent.slice(1)
    expect(removal?.line).toBe('DELETE /disputes/d1/evidence/e0')
    expect(file?.line).toBe('POST /disputes/d1/evidence')
    expect(JSON.parse(file?.body ?? '')).toEqual({
      evidence: { document_upload_id: 'u1', category: 'PROOF_OF_DELIVERY' },
    })
    expect(JSON.parse(text?.body ?? '')).toEqual({
      evidence: { comments: 'Ada <Ärden> & Co', category: 'PURCHASER_NAME' },
    })
  })

  test('for an upload are a form of two parts: the file with its type by extension, and the kind', async () => {
    await using braintree = await listening()
    const file = { name: 'PROOF.PDF', type: 'application/pdf', data: Buffer.from('%PDF-1.4\n') }
    await braintree.adapter.uploadFile({ reference: 'd1', file, idempotencyKey: 'k' })
    const [upload] = braintree.sent
    const boundary = /^multipart\/form-data; boundary=(boundary\d+)$/.exec(String(upload?.headers['content-type']))?.[1]
    const name = /filename="(PROOF-[0-9a-f]{16}\.pdf)"/.exec(upload?.body ?? '')?.[1]
    expect(upload?.line).toBe('POST /document_uploads')
    expect(upload?.body.split('\r\n')).toEqual([
      `--${boundary}`,
      `Content-Disposition: form-data; name="file"; filename="${name}"`,
      'Content-Type: application/pdf',
      '',
      '%PDF-1.4\n',
      `--${boundary}`,
      'Content-Disposition: form-data; name="document_upload[kind]"',
      '',
      'evidence_document',
      `--${boundary}--`,
      '',
      '',
    ])
  })
})

describe('the address', () => {
  test.each([
    ['sandbox', 'https://api.sandbox.braintreegateway.com:443'],
    ['production', 'https://api.braintreegateway.com:443'],
  ] as const)('is that of the %s, by the setting of the deployment only', async (environment, host) => {
    const urls: string[] = []
    const refusing: PspFetch = (input) => {
      urls.push(input)
      return Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }))
    }
    const overrides: Partial<AdapterContext<never>> = { environment, baseUrl: null, fetch: refusing }
    expect((await refusal(connectTo('', overrides).checkCredentials())).kind).toBe('unavailable')
    expect(urls).toEqual([`${host}/merchants/recoupdemo/disputes/advanced_search?page=1`])
  })
})

test.each([
  ['GET', 'unavailable'],
  ['PUT', 'outcome_unknown'],
])('a body that drips without end times out by our own deadline: a %s is %s', async (method, kind) => {
  const deadlines = new Set<number | undefined>()
  // Only the call that drips gets a short time-out, not the read before a write.
  const impatient: PspFetch = (url, request) => {
    deadlines.add(request?.timeoutMs)
    return pspFetch(url, { ...request, ...(request?.method === method && { timeoutMs: 150 }) })
  }
  const dripping = new Set<NodeJS.Timeout>()
  try {
    await using server = await startServer((request, response) => {
      if (request.method !== method) return sendXml(response, 200, `${DISPUTE}</dispute>`)
      response.writeHead(200, { 'content-type': 'application/xml' })
      dripping.add(setInterval(() => response.write(' '), 20))
    })
    const adapter = connectTo(server.url, { fetch: impatient })
    const work = method === 'GET' ? adapter.fetchDispute('d1') : adapter.acceptDispute(request)
    expect((await refusal(work)).kind).toBe(kind)
    expect(deadlines).toEqual(new Set([25_000]))
  } finally {
    for (const drip of dripping) clearInterval(drip)
  }
})

describe('categories of evidence', () => {
  const names = (text: string) => text.trim().split(/\s+/).sort()

  test('are those that Braintree documents', () => {
    const group = (prefix: string, parts: string) => names(parts).map((part) => prefix + part)
    expect([...FILE_CATEGORIES].sort()).toEqual(
      names(`GENERAL LEGIT_PAYMENTS_FOR_SAME_MERCHANDISE MERCHANT_WEBSITE_OR_APP_ACCESS PROFILE_SETUP_OR_APP_ACCESS
        PROOF_OF_3D_SECURE PROOF_OF_AUTHORIZED_SIGNER PROOF_OF_DELIVERY PROOF_OF_DELIVERY_EMP_ADDRESS
        PROOF_OF_POSSESSION_OR_USAGE SIGNED_DELIVERY_FORM SIGNED_ORDER_FORM TICKET_PROOF`),
    )
    expect(Object.keys(TEXT_CATEGORIES).sort()).toEqual(
      [
        ...names('CARRIER_NAME DOWNLOAD_DATE_TIME GENERAL GEOGRAPHICAL_LOCATION REFUND_ID TRACKING_NUMBER'),
        ...group('CREDIT_ISSUED_', 'AMOUNT ARN DATE_TIME'),
        ...group('DEVICE_', 'ID NAME'),
        ...group('PRIOR_DIGITAL_GOODS_TRANSACTION_', 'ARN DATE_TIME ID'),
        ...group('PRIOR_NON_DISPUTED_TRANSACTION_', 'ARN DATE_TIME EMAIL_ADDRESS ID IP_ADDRESS PHONE_NUMBER'),
        'PRIOR_NON_DISPUTED_TRANSACTION_PHYSICAL_ADDRESS',
        ...group('PURCHASER_', 'EMAIL_ADDRESS IP_ADDRESS NAME'),
        ...group('RECURRING_TRANSACTION_', 'ARN DATE_TIME ID'),
      ].sort(),
    )
  })

  test('are all accepted unchanged, none replaced with GENERAL', async () => {
    await using braintree = await simulated()
    const [reference = ''] = await braintree.create({ count: 1, status: 'open', stage: 'chargeback' })
    const file = { name: 'a.pdf', type: 'application/pdf', data: Buffer.from('%PDF-1.4\n') }
    const { digest } = request
    const { fileReference } = await braintree.adapter.uploadFile({ reference, file, idempotencyKey: 'k', digest })
    const files = Object.fromEntries(FILE_CATEGORIES.map((category) => [category, fileReference]))
    const texts = Object.fromEntries(Object.keys(TEXT_CATEGORIES).map((category) => [category, textFor(category)]))
    await braintree.adapter.stageEvidence({ ...request, reference, files, texts })
    const { evidence } = JSON.parse((await braintree.adapter.fetchDispute(reference)).text)
    const put = evidence.map(({ category }: { category: string }) => category)
    expect(put.toSorted()).toEqual([...FILE_CATEGORIES, ...Object.keys(TEXT_CATEGORIES)].sort())
  })
})

function textFor(category: string): string {
  if (category.endsWith('_DATE_TIME')) return '2026-03-07T16:56:14Z'
  if (category.endsWith('_EMAIL_ADDRESS')) return 'ada@example.com'
  return 'x'
}
