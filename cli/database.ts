import { compressesRaw, setCompressesRaw } from '../db/core/deployment.ts'
import { rowSecurity, setRowSecurity } from '../db/core/row-security.ts'
import { secondPersonFor, setSecondPersonFor } from '../db/merchants/second-person.ts'
import { SECOND_PERSON_FOR, type SecondPersonFor } from '../domain/accounts/operator.ts'
import { act, record } from './acting.ts'
import { type Command, type CommandContext, oneOf, required, UsageError } from './command.ts'

const rowSecurityCommand: Command = {
  summary: 'have Postgres itself keep tenants apart, or stop it; as the owner of the tables',
  options: { set: '`on`, once every process that runs has this version or a later one, or `off`' },
  changes: { reason: 'required' },
  async run(context) {
    const enabled = oneOf(context, 'set', ['on', 'off']) === 'on'
    // One transaction for each table: no writer waits for all of them.
    await record(context, context.db, { subject: 'row-security', details: { enabled } }, 'started')
    const changed = await setRowSecurity(context.db, enabled)
    return { rowSecurity: enabled ? 'on' : 'off', changed: changed.length }
  },
}

const secondPersonCommand: Command = {
  summary: 'what one operator asks for and another one approves; as the owner of the tables',
  options: { for: `${SECOND_PERSON_FOR.join(' | ')}, comma-separated, or none` },
  changes: { reason: 'required' },
  run(context) {
    const groups = readGroups(context)
    return act(
      context,
      async (trx) => ({ secondPerson: groups, before: await setSecondPersonFor(trx, groups) }),
      ({ before }) => ({ subject: 'second-person', details: { for: groups, before } }),
    )
  },
}

function readGroups(context: CommandContext): SecondPersonFor[] {
  const text = required(context, 'for').trim()
  const words = text === 'none' ? [] : text.split(',').map((word) => word.trim())
  const unknown = words.find((word) => !SECOND_PERSON_FOR.includes(word as SecondPersonFor))
  if (unknown !== undefined)
    throw new UsageError(`--for: must be some of ${SECOND_PERSON_FOR.join(', ')}, comma-separated, or none`)
  return SECOND_PERSON_FOR.filter((group) => words.includes(group))
}

const compressionCommand: Command = {
  summary: 'compress objects of PSPs before they are sealed, or stop it; as the owner of the tables',
  options: { set: '`on`, once every process that runs has this version or a later one, or `off`' },
  changes: { reason: 'required' },
  run(context) {
    const compression = oneOf(context, 'set', ['on', 'off'])
    return act(
      context,
      async (trx) => ({ compression, before: (await setCompressesRaw(trx, compression === 'on')) ? 'on' : 'off' }),
      ({ before }) => ({ subject: 'compression', details: { compression, before } }),
    )
  },
}

const status: Command = {
  summary: 'whether Postgres itself keeps tenants apart, whether objects are compressed, what needs a second person',
  async run({ db }) {
    const tables = await rowSecurity(db)
    const off = tables.filter(({ enabled }) => !enabled).map(({ table }) => table)
    const word = off.length === 0 ? 'on' : off.length === tables.length ? 'off' : 'in part'
    return {
      rowSecurity: word,
      off,
      compression: (await compressesRaw(db)) ? 'on' : 'off',
      secondPerson: await secondPersonFor(db),
    }
  },
}

export const database: Record<string, Command> = {
  status,
  'row-security': rowSecurityCommand,
  compression: compressionCommand,
  'second-person': secondPersonCommand,
}
