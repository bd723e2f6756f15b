import { execFileSync } from 'node:child_process'
import { existsSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { connect } from '../../../db/core/connect.ts'
import { isAlive } from '../../../local/processes.ts'
import { asOwner, byOwner } from '../../harness/database.ts'
import { until } from '../../harness/until.ts'
import type { Testbed } from '../testbed/prepare.ts'

/** Moves files of the suite's own Postgres to another disk. */

const LOCK_MS = 10_000

export async function dataFolder({ stack }: Testbed): Promise<string> {
  const owner = connect(asOwner(stack.databaseUrl), { scope: 'owner', max: 1 })
  const { rows } = await sql<{ folder: string }>`
    select setting as folder from pg_settings where name = 'data_directory'`
    .execute(owner)
    .finally(() => owner.destroy())
  return (rows[0] as { folder: string }).folder
}

/** Moves every table and index of the database to that folder; null = back. */
export async function moveTables({ stack }: Testbed, folder: string | null): Promise<void> {
  const admin = new pg.Client(asOwner(stack.databaseUrl))
  await admin.connect()
  const kinds = ['table', 'index']
  const [from, to] = folder ? ['pg_default', 'small'] : ['small', 'pg_default']
  try {
    await admin.query(`set lock_timeout = ${LOCK_MS}`)
    if (folder) await admin.query(`create tablespace small location '${folder}'`)
    for (const kind of kinds)
      await until(`every ${kind} is moved`, async () => {
        await admin.query(`alter ${kind} all in tablespace ${from} set tablespace ${to}`)
        return true
      })
    if (folder) return
    // Emptied files are removed only by the next checkpoint.
    await admin.query('checkpoint')
    await admin.query('drop tablespace small')
  } finally {
    await admin.end()
  }
}

/** Moves the write-ahead log to that folder; null = back into the data folder. Restarts Postgres. */
export async function moveLog(testbed: Testbed, data: string, folder: string | null): Promise<void> {
  await stopPostgres(testbed)
  const log = join(data, 'pg_wal')
  const aside = join(data, 'pg_wal.aside')
  if (folder) {
    execFileSync('cp', ['-a', `${log}/.`, folder])
    renameSync(log, aside)
    symlinkSync(folder, log)
  } else if (existsSync(aside)) {
    rmSync(aside, { recursive: true, force: true })
    execFileSync('cp', ['-aL', log, aside])
    rmSync(log)
    renameSync(aside, log)
  }
  await testbed.startPostgres()
}

/** Fills segments of the write-ahead log until there is no room for another. */
export async function useUpLog({ stack }: Testbed): Promise<void> {
  const admin = new pg.Client(asOwner(stack.databaseUrl))
  admin.on('error', () => undefined)
  await admin.connect()
  try {
    for (let segment = 0; segment < 60; segment++) {
      await admin.query('select pg_logical_emit_message(false, $1, $2)', ['fault', 'a line'])
      await admin.query('select pg_switch_wal()')
    }
  } catch {
    // Expected: the disk is full.
  } finally {
    await admin.end().catch(() => undefined)
  }
}

/** Ends all connections, so that every client opens a new one. */
export async function newBackends({ stack }: Testbed): Promise<void> {
  await byOwner(
    stack.databaseUrl,
    sql`select pg_terminate_backend(pid) from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  ).catch(() => undefined)
}

async function stopPostgres({ postgres }: Testbed): Promise<void> {
  await postgres.stop()
  await until('Postgres has stopped', () => !isAlive(postgres.pid))
}
