import { setTimeout as pause } from 'node:timers/promises'
import { createAccount } from '../../../db/merchants/accounts.ts'
import { issueCredential } from '../../../db/merchants/credentials.ts'
import { createMerchant } from '../../../db/merchants/merchants.ts'
import type { Dispute, Testbed } from '../testbed/prepare.ts'

const UPLOAD_MS = 60_000

/** Another client of Recoup, or the environment's merchant itself. */
export interface Party {
  merchantUuid: string
  token: string
}

/** A response with its full text. */
export interface RawAnswer {
  /** null = none within thirty seconds. */
  status: number | null
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: the caller checks the response
  body: any
}

/** A merchant of another account, with a token. */
export async function newStranger({ stack: { db, ring } }: Testbed): Promise<Party> {
  const { accountId } = await createAccount(db, { name: 'Another account' })
  const { merchantUuid } = await createMerchant(db, ring, {
    accountId,
    merchantName: 'Another shop',
    websiteUrl: 'https://another.example.com',
    contact: { email: 'owner@another.example.com', firstName: 'Otto', lastName: 'Other' },
  })
  const { token } = await issueCredential(db, ring, { accountId, scope: 'account', environment: 'sandbox' })
  return { merchantUuid, token }
}

export const ownParty = ({ stack: { merchantUuid, token } }: Testbed): Party => ({ merchantUuid, token })

/** One request of that party to the API that was started last. */
export async function askAs(
  { stack }: Testbed,
  { token }: Party,
  [method, path, body]: [method: string, path: string, body?: unknown],
): Promise<RawAnswer> {
  try {
    const response = await fetch(`${stack.apis.at(-1)?.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(30_000),
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    })
    const text = `${[...response.headers].join('\n')}\n${await response.text()}`
    return { status: response.status, text, body: parsed(text.slice(text.lastIndexOf('\n') + 1)) }
  } catch {
    return { status: null, text: '', body: null }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Uploads a document of that party. @returns the file's id */
export async function uploadAs(testbed: Testbed, party: Party, pdf: Buffer): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), 'evidence.pdf')
  form.append('purpose', 'evidence_file')
  form.append('metadata', '{}')
  // The API accepts few uploads at a time and returns 503 for the others.
  for (const end = Date.now() + UPLOAD_MS; ; await pause(500)) {
    const { status, body } = await askAs(testbed, party, ['POST', '/files', form])
    if (status === 201) return body.id
    if ((status !== null && status < 500) || Date.now() > end) throw new Error(`POST /files returned ${status}`)
  }
}

interface Known {
  /** Of the stranger. */
  integrationIds: readonly string[]
  /** Of the environment's merchant. */
  disputes: readonly Dispute[]
  /** The stranger has the PSP's ids of these disputes, too. */
  shared?: boolean
}

/**
 * I11: no response to a stranger, about its own or other resources, contains data of the environment's merchant. Values
 * of the request itself are exempt: a response may repeat them.
 * @returns violations
 */
export async function learnsNothing(
  testbed: Testbed,
  stranger: Party,
  { integrationIds, disputes, shared = false }: Known,
): Promise<string[]> {
  const { stack } = testbed
  const files = await stack.db
    .selectFrom('file')
    .select('file_id')
    .where('merchant_uuid', '=', stack.merchantUuid)
    .execute()
  const secrets = new Set([
    ...[stack.merchantUuid, stack.referenceId, stack.accountId, stack.token],
    ...[...testbed.connections.values()].map(({ integrationId }) => integrationId),
    ...disputes.flatMap(({ chargebackId, reference }) => [chargebackId, ...(shared ? [] : [reference])]),
    ...files.map((one) => String(one.file_id)),
  ])
  const [first] = disputes
  const about = first ? [`/chargebacks/${first.chargebackId}`] : []
  const foreign = [
    ...about.flatMap((path) => [path, `${path}/accept`, `${path}/timeline`, `${path}/evidence`]),
    ...[...testbed.connections.values()].map(({ integrationId }) => `/integrations/${integrationId}`),
  ]
  const own = [
    '/integrations?limit=100',
    '/chargebacks?limit=100',
    ...integrationIds.map((id) => `/integrations/${id}`),
  ]
  const wrong: string[] = []
  const check = ({ status, text }: RawAnswer, asked: string, refused: boolean) => {
    if (refused && status !== null && status < 400) wrong.push(`${asked} returned ${status} to another merchant`)
    for (const secret of secrets)
      if (!asked.includes(secret) && text.includes(secret)) wrong.push(`${asked} shows ${secret} to another merchant`)
  }
  for (const path of own) check(await askAs(testbed, stranger, ['GET', path]), `GET ${path}`, false)
  for (const path of foreign) check(await askAs(testbed, stranger, ['GET', path]), `GET ${path}`, true)
  for (const path of about) {
    const accepted = await askAs(testbed, stranger, ['POST', `${path}/accept`])
    check(accepted, `POST ${path}/accept`, true)
  }
  return wrong.slice(0, 3).map((sentence) => `I11: ${sentence}`)
}
