import { request } from 'node:http'
import { sql } from 'kysely'
import pg from 'pg'
import { readFile } from '../../../db/evidence/files.ts'
import { asOwner } from '../../harness/database.ts'
import { upload } from '../../harness/rows.ts'
import { randomPdf, samplePdf } from '../../harness/sample-files.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import { losePackets, noPacketLoss } from '../net/packet-loss.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { killAtOnce } from '../testbed/prepare.ts'

const BOUNDARY = 'half-of-it'

/** Approximate bytes: many packets, below the maximum size of a file. */
const LARGE_BYTES = 5_000_000

interface Break {
  title: string
  /** Why it can't run on this machine; null = it can. */
  missing?(): string | null
  run(stack: Stack): Promise<string[]>
}

const BREAKS: Readonly<Record<string, Break>> = {
  client_gone: { title: 'an upload to Recoup, the client disconnects half-way', run: clientGone },
  api_killed: { title: 'an upload to Recoup, the API killed half-way', run: apiKilled },
  before_commit: { title: 'an upload to Recoup, the API killed before its row is committed', run: beforeCommit },
  packet_loss: { title: 'an upload to Recoup, one packet in twenty lost', missing: noPacketLoss, run: packetsLost },
}

/**
 * Interrupted uploads, and uploads with packet loss. Postgres stores bytes and row together: nothing remains of an
 * upload without a response, and the next upload works.
 */
export async function breakUploads({ reduced, cell, print }: SuiteOptions): Promise<SuiteOutcome[]> {
  const wanted = Object.entries(BREAKS).filter(([key]) => (cell ? `upload:${key}`.startsWith(cell) : !reduced))
  if (wanted.length === 0) return []
  const outcomes: SuiteOutcome[] = []
  await using stack = await startStack({ workers: 0 })
  for (const [key, { title, run, missing }] of wanted) {
    const name = `upload:${key}`
    const reason = missing?.() ?? null
    if (reason !== null) {
      print?.(`  ${name}: skipped, ${reason}`)
      outcomes.push({ name, title, result: 'skipped', why: [reason] })
      continue
    }
    const before = await filesOf(stack)
    const why = await run(stack)
    const added = (await filesOf(stack)) - before
    if (added !== 1) why.push(`${added} files are stored, not one`)
    print?.(`  ${name}: ${why.join('; ') || 'one file is stored, nothing of another'}`)
    outcomes.push({ name, title, result: why.length > 0 ? 'failed' : 'passed', why })
  }
  return outcomes
}

async function clientGone(stack: Stack): Promise<string[]> {
  const half = await sendHalf(stack)
  half.destroy()
  return nextWorks(stack)
}

async function apiKilled(stack: Stack): Promise<string[]> {
  const half = await sendHalf(stack)
  await killAtOnce(stack.apis.at(-1)?.pid ?? 0)
  half.destroy()
  await stack.startApi()
  return nextWorks(stack)
}

/** A repeat with the same Idempotency-Key stores the file once, whatever happened to the first request. */
async function beforeCommit(stack: Stack): Promise<string[]> {
  const other = new pg.Client(asOwner(stack.databaseUrl))
  other.on('error', () => undefined)
  await other.connect()
  await other.query('begin; lock table file in exclusive mode')
  const body = form(samplePdf())
  const send = () =>
    fetch(`${stack.apis.at(-1)?.url}/v1/files`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stack.token}`,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        'idempotency-key': 'the-same-twice',
      },
      body: new Uint8Array(body),
    }).then(
      async (response) => ((await response.arrayBuffer()) ? response.status : 0),
      () => null,
    )
  const first = send()
  await until('its row waits for the table', async () => {
    // Not over the other connection: its transaction would see the same snapshot of the activity for ever.
    const { rows } = await sql`
      select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ilike '%into "file"%'`.execute(stack.db)
    return rows.length > 0
  })
  await killAtOnce(stack.apis.at(-1)?.pid ?? 0)
  await other.query('rollback')
  await other.end()
  await stack.startApi()
  // A dead request looks like a slow one: its key stays reserved for a minute.
  const statuses = [await first, await send()]
  await sql`update idempotency_key set created_at = created_at - interval '2 minutes' where status is null`.execute(
    stack.db,
  )
  statuses.push(await send())
  return JSON.stringify(statuses) === '[null,409,201]' ? [] : [`the responses were ${JSON.stringify(statuses)}`]
}

/** The file arrives late, but complete. */
async function packetsLost(stack: Stack): Promise<string[]> {
  await using loss = losePackets(Number(new URL(stack.apis.at(-1)?.url ?? '').port))
  const sent = randomPdf(LARGE_BYTES)
  const fileId = await upload(stack, sent)
  const { content } = await readFile(stack.db, stack.ring, { merchantUuid: stack.merchantUuid, fileId })
  return [
    ...(loss.lost() > 0 ? [] : ['no packet was lost']),
    ...(content.equals(sent) ? [] : ['I6: the stored bytes are not those that were sent']),
  ]
}

/** Sends half of a form and leaves the request open. */
async function sendHalf(stack: Stack) {
  const whole = form(samplePdf())
  const half = request(`${stack.apis.at(-1)?.url}/v1/files`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack.token}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': whole.length,
    },
  })
  half.on('error', () => undefined)
  half.write(whole.subarray(0, whole.length / 2))
  await until('half of it is sent', () => half.socket?.bytesWritten)
  return half
}

function form(pdf: Buffer): Buffer {
  const part = (name: string, more = '') => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n`
  return Buffer.concat([
    Buffer.from(`${part('purpose')}\r\nevidence_file\r\n`),
    Buffer.from(`${part('file', '; filename="half.pdf"')}content-type: application/pdf\r\n\r\n`),
    pdf,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
}

async function nextWorks(stack: Stack): Promise<string[]> {
  return upload(stack, samplePdf()).then(
    () => [],
    (error) => [`the next upload: ${(error as Error).message}`],
  )
}

async function filesOf({ db }: Stack): Promise<number> {
  return (await db.selectFrom('file').select('file_id').execute()).length
}
