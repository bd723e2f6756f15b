import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

const MERCHANT = '00000000-0000-7000-8000-000000000002'
const CHARGEBACK = '00000000-0000-7000-8001-000000000001'
const FILE = `insert into file (file_id, merchant_uuid, purpose, type, bytes, sha256, name_sealed, content_sealed)
  values ($1, '${MERCHANT}', 'evidence_file', 'application/pdf', 1, '', '-', '')`
const PLAN = `insert into evidence_plan (plan_id, merchant_uuid, chargeback_id, file_id)
  values ($1, '${MERCHANT}', '${CHARGEBACK}', $1)`

/** Statements that the service sends all the time, each over its own connection. */
const STATEMENTS: Record<string, [text: string, values: () => unknown[]]> = {
  'update chargeback': [`update chargeback set version = version + 1 where id = '${CHARGEBACK}'`, () => []],
  'insert timeline_event': [
    `insert into timeline_event (merchant_uuid, chargeback_id, source, what) values ('${MERCHANT}', '${CHARGEBACK}', 'x', 'y')`,
    () => [],
  ],
  'insert file': [FILE, () => [randomUUID()]],
  'insert evidence_plan': [PLAN, () => [randomUUID()]],
  'list chargebacks': [
    `select id from chargeback where merchant_uuid = '${MERCHANT}' and merged_into is null
      order by posting_sort desc, id desc limit 50`,
    () => [],
  ],
  'update integration': ['update integration set polled_at = now()', () => []],
}
/** Duration of a report. Its transaction blocks schema changes of the tables that it reads. */
const REPORT_MS = 1_500
const PAUSE_MS = 5

export interface Longest {
  ms: number
  name: string
  statements: number
  errors: string[]
}

export interface Traffic {
  /** Waits, then returns the slowest statement since the last call. */
  longest(waitMs: number): Promise<Longest>
  stop(): Promise<void>
}

/** Writers, a reader, and reports that follow each other with short pauses. */
export async function startTraffic(url: string): Promise<Traffic> {
  const running = new AbortController()
  const nothing = (): Longest => ({ ms: 0, name: '', statements: 0, errors: [] })
  let seen = nothing()
  const opened = async () => {
    const client = new pg.Client(url)
    await client.connect()
    return client
  }
  const loops = Object.entries(STATEMENTS).map(async ([name, [text, values]]) => {
    const client = await opened()
    while (!running.signal.aborted) {
      const began = performance.now()
      await client.query(text, values()).catch((error: Error) => seen.errors.push(`${name}: ${error.message}`))
      const ms = Math.round(performance.now() - began)
      seen.statements++
      if (ms > seen.ms) Object.assign(seen, { ms, name })
      await pause(PAUSE_MS)
    }
    await client.end()
  })
  const report = async () => {
    const client = await opened()
    while (!running.signal.aborted) {
      await client.query('begin')
      for (const table of ['chargeback', 'file', 'evidence_plan', 'integration', 'merchant'])
        await client.query(`select 1 from ${table} limit 1`)
      await pause(REPORT_MS)
      await client.query('commit')
      await pause(REPORT_MS / 3)
    }
    await client.end()
  }
  const all = [...loops, report()]
  return {
    async longest(waitMs) {
      await pause(waitMs)
      const found = seen
      seen = nothing()
      return found
    },
    async stop() {
      running.abort()
      await Promise.all(all)
    },
  }
}
