import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listChargebacks } from '../../../db/chargebacks/chargeback-list.ts'
import { connect } from '../../../db/core/connect.ts'
import { runCommand } from '../../../local/run-command.ts'
import { type Dataset, LISTED_STATUS, PAGE, type ReadMerchant } from '../../reads/dataset.ts'

/** Merchants whose lists are asked for in turns. */
const MERCHANTS = 20
const CONNECTIONS = 16

export const hasPgbench = (): Promise<boolean> =>
  runCommand('pgbench', ['--version']).then(
    () => true,
    () => false,
  )

/** The ceiling of the list: its own SQL by pgbench, without a server in front. @returns lists a second */
export async function pgbenchLists({ url, merchants }: Dataset, seconds: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-bench-pgbench-'))
  try {
    const files: string[] = []
    for (const [index, merchant] of merchants.slice(0, MERCHANTS).entries()) {
      const file = join(folder, `list-${index}.sql`)
      writeFileSync(file, `${await listSql(url, merchant)};\n`)
      files.push('-f', file)
    }
    const { hostname, port, username, password, pathname } = new URL(url)
    const words = ['-n', '-M', 'prepared', `-c${CONNECTIONS}`, '-j1', `-T${seconds}`, ...files]
    const at = ['-h', hostname, '-p', port, '-U', username, pathname.slice(1)]
    const { code, output } = await runCommand('pgbench', [...words, ...at], {
      env: { ...process.env, PGPASSWORD: decodeURIComponent(password) },
      timeoutMs: (seconds + 60) * 1000,
    })
    const rate = Number(/tps = ([\d.]+)/.exec(output)?.[1])
    if (code !== 0 || !(rate > 0)) throw new Error(`pgbench: ${/ERROR.*|error:.*/i.exec(output)?.[0] ?? output.trim()}`)
    return rate
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The statement that the product sends for a list, with its values in it. */
async function listSql(url: string, { merchantUuid }: ReadMerchant): Promise<string> {
  const db = connect(url, { scope: 'none', max: 1 })
  let sent = { text: '', values: [] as unknown[] }
  db.pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      if (typeof args[0] === 'string' && Array.isArray(args[1])) sent = { text: args[0], values: args[1] }
      return query(...args)
    }) as typeof client.query
  })
  try {
    const filter = { status: [LISTED_STATUS] } as const
    await listChargebacks(db, { merchantUuid, limit: PAGE, page: 1, after: null, filter })
  } finally {
    await db.destroy()
  }
  const literal = (value: unknown) => (typeof value === 'number' ? String(value) : `'${String(value)}'`)
  const text = sent.text.replace(/\$(\d+)/g, (_, n: string) => literal(sent.values[Number(n) - 1]))
  return withoutVariables(text.replace(/\s+/g, ' '))
}

/** pgbench takes `:name` for one of its variables, also within a literal such as a format of times. */
function withoutVariables(sql: string): string {
  return sql.replace(/'([^']*)'/g, (literal, body: string) =>
    /:[A-Za-z_]/.test(body) ? `E'${body.replaceAll('\\', '\\\\').replaceAll(':', '\\u003a')}'` : literal,
  )
}
