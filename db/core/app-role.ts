import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { DB } from '../schema.ts'

/** The database role of api and worker can't be created, or has too many rights. */
export class RoleFault extends Error {
  override name = 'RoleFault'
}

const INSUFFICIENT_PRIVILEGE = '42501'
/** Another database of the same server created the role concurrently. */
const EXISTS = new Set(['42710', '23505'])

/**
 * Creates the role that an address names and grants it reads and writes of this database's rows, but no right to alter,
 * drop or truncate a table. Repeatable; the owner needs CREATEROLE only when the role is missing. An existing role
 * keeps its password.
 * @param url the address that api and worker connect with
 * @throws RoleFault
 */
export async function grantAppRole(db: Kysely<DB>, url: string): Promise<void> {
  const { username, password } = new URL(url)
  const role = decodeURIComponent(username)
  if (role === '') throw new RoleFault('RECOUP_APP_DATABASE_URL names no user. Give it a separate role.')
  const { rows } = await sql<{ there: boolean; own: boolean }>`
    select exists (select from pg_roles where rolname = ${role}) as there, current_user = ${role} as own`.execute(db)
  if (rows[0]?.own) throw new RoleFault(`${role} owns the tables. Give RECOUP_APP_DATABASE_URL a separate role.`)
  if (!rows[0]?.there) await createRole(db, role, decodeURIComponent(password))
  await refuseOwner(db, role)
  const name = sql.id(role)
  // On servers before PostgreSQL 15 everybody may create tables in this schema.
  await sql`revoke create on schema public from public`.execute(db)
  await sql`grant usage on schema public to ${name}`.execute(db)
  await sql`revoke all on all tables in schema public from ${name}`.execute(db)
  await sql`grant select, insert, update, delete on all tables in schema public to ${name}`.execute(db)
  await sql`revoke insert, update, delete on deployment, kysely_migration, kysely_migration_lock from ${name}`.execute(
    db,
  )
  await sql`grant usage, select on all sequences in schema public to ${name}`.execute(db)
}

async function createRole(db: Kysely<DB>, role: string, password: string): Promise<void> {
  try {
    await sql`create role ${sql.id(role)} login nosuperuser nocreatedb nocreaterole
      password ${sql.lit(scramVerifier(password))}`.execute(db)
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (code === INSUFFICIENT_PRIVILEGE)
      throw new RoleFault(
        `There is no role ${role}, and this one may not create it. Create it with LOGIN, then migrate.`,
      )
    if (!EXISTS.has(code)) throw error
  }
}

/** @throws RoleFault when the role has the owner's rights */
async function refuseOwner(db: Kysely<DB>, role: string): Promise<void> {
  const { rows } = await sql<{ mighty: boolean }>`select ${privilegedRole(sql`${role}::name`)} as mighty`.execute(db)
  if (rows[0]?.mighty)
    throw new RoleFault(`${role} is a superuser or acts as the owner of the tables. Use another role.`)
}

/**
 * Warns when a process is connected as a role that can alter or drop tables: row-level security does not restrict it.
 */
export async function warnPrivilegedRole(
  db: Kysely<DB>,
  log: { warn(fields: object, message: string): void },
): Promise<void> {
  const { rows } = await sql<{ mighty: boolean }>`select ${privilegedRole(sql`current_user`)} as mighty`.execute(db)
  if (rows[0]?.mighty)
    log.warn(
      { reason: 'give migrate RECOUP_APP_DATABASE_URL, and this process that address as DATABASE_URL' },
      'the database role may alter and drop tables',
    )
}

const privilegedRole = (role: ReturnType<typeof sql>) => sql<boolean>`(
  exists (select from pg_roles where rolname = ${role} and (rolsuper or rolbypassrls))
  or exists (select from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    and pg_has_role(${role}, relowner, 'USAGE')))`

/** The password in the form that the server stores, so that no statement log holds the password. @see RFC 5803 */
function scramVerifier(password: string): string {
  if (!/^[\x21-\x7e]+$/.test(password))
    throw new RoleFault('The password in RECOUP_APP_DATABASE_URL must have printable ASCII characters only.')
  const [salt, rounds] = [randomBytes(16), 4_096]
  const salted = pbkdf2Sync(password, salt, rounds, 32, 'sha256')
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest()
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${rounds}:${salt.toString('base64')}$${stored}:${hmac('Server Key').toString('base64')}`
}
