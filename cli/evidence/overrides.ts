import { readFile } from 'node:fs/promises'
import { Refusal } from '../../db/core/refusal.ts'
import {
  listPlaybooks,
  type PlaybookVersion,
  readPlaybook,
  storePlaybook,
} from '../../db/evidence/evidence-playbooks.ts'
import type { JsonValue } from '../../db/schema.ts'
import { checkOverride } from '../../domain/evidence/check-override.ts'
import type { PlaybookFault } from '../../domain/evidence/check-playbooks.ts'
import { effectivePlaybook } from '../../domain/evidence/overrides.ts'
import { PLAYBOOKS } from '../../domain/evidence/playbooks/index.ts'
import type { Playbook } from '../../domain/evidence/playbooks/playbook.ts'
import { act } from '../acting.ts'
import { type Command, type CommandContext, oneOf, required, UsageError } from '../command.ts'

/** Longest file, in characters. */
const LONGEST_FILE = 200_000
/** A version without sentences: Recoup's own count again. */
const NO_SENTENCES = { statements: [] }

/** The playbook that `--play` names. @throws UsageError */
export function readPlay(context: CommandContext): Playbook {
  const play = oneOf(
    context,
    'play',
    PLAYBOOKS.map(({ id }) => id),
  )
  return PLAYBOOKS.find(({ id }) => id === play) as Playbook
}

export const setPlaybook: Command = {
  summary: "store an account's own sentences for a playbook, as a new version",
  options: {
    account: 'the account',
    play: 'e.g. not_received',
    'file?': 'JSON with the sentences to replace, add or leave out; - is standard input',
  },
  flags: { default: "take the account's own sentences back, as a new version" },
  changes: { reason: 'required' },
  async run(context) {
    const accountId = required(context, 'account')
    const playbook = readPlay(context)
    const play = playbook.id
    if (context.flag('default') === (context.given.file !== undefined))
      throw new UsageError('give either --file or --default')
    const body = context.flag('default') ? NO_SENTENCES : await readChecked(context, playbook)
    return act(
      context,
      async (trx) => {
        if (body === NO_SENTENCES) requireOwn(await readPlaybook(trx, { accountId, play }), play)
        const stored = await storePlaybook(trx, { accountId, play, body, createdBy: context.operator() })
        return { accountId, play, ...stored, sentences: body.statements.length }
      },
      ({ version, sentences }) => ({ subject: accountId, details: { play, version, sentences } }),
    )
  },
}

/** What is in effect for an account: versions by play, or the sentences of one. */
export async function showPlaybooks(context: CommandContext): Promise<object | object[]> {
  const accountId = required(context, 'account')
  const stored = await listPlaybooks(context.db, accountId)
  if (context.given.play === undefined)
    return PLAYBOOKS.map((playbook) => {
      const own = stored.find(({ play }) => play === playbook.id)
      const { version, override, statements } = effectivePlaybook(playbook, own)
      const sentences = statements.filter(({ from }) => from !== 'off').length
      const { createdBy = null, createdAt = null } = own ?? {}
      return { play: playbook.id, version, override, sentences, createdBy, createdAt }
    })
  const playbook = readPlay(context)
  const own = stored.find(({ play }) => play === playbook.id)
  return effectivePlaybook(playbook, own).statements.map(({ from, statement }) => ({
    ...{ id: statement.id, from, weight: statement.weight, files: statement.exhibits?.join(' ') ?? '' },
    text: statement.text,
  }))
}

/** A stored version, in the form that `set` reads. @throws Refusal */
export async function showVersion(context: CommandContext): Promise<object> {
  const [accountId, { id: play }] = [required(context, 'account'), readPlay(context)]
  const version = Number(context.given.version)
  if (!Number.isInteger(version) || version < 1 || version > 1e9)
    throw new UsageError('--version must be a whole number from 1')
  const stored = await readPlaybook(context.db, { accountId, play, version })
  if (!stored) throw new Refusal('missing', 'playbook_not_found', `The account has no version ${version} of ${play}.`)
  return stored.body as object
}

/** Checks a file without storing it. @throws Refusal with every fault */
export async function checkFile(context: CommandContext): Promise<object> {
  const playbook = readPlay(context)
  const { statements } = await readChecked(context, playbook)
  return { play: playbook.id, sentences: statements.length, faults: [] }
}

/** Checks an account's stored sentences, as after an upgrade. @throws Refusal with every fault */
export async function checkAccount(context: CommandContext): Promise<object> {
  const play = context.given.play === undefined ? undefined : readPlay(context).id
  const all = await listPlaybooks(context.db, required(context, 'account'))
  const own = all.filter((one) => hasSentences(one) && (play === undefined || one.play === play))
  refuseFaults(
    own.flatMap(({ play: id, version, body }) => {
      const playbook = PLAYBOOKS.find((one) => one.id === id)
      const where = `${id}, version ${version}`
      if (!playbook) return [{ path: where, message: 'There is no such playbook any more.' }]
      return checkOverride(playbook, body).map(({ path, message }) => ({ path: `${where}: ${path}`, message }))
    }),
  )
  return { playbooks: own.length, faults: [] }
}

interface Body {
  statements: JsonValue[]
}

const hasSentences = ({ body }: PlaybookVersion) => (body as Partial<Body>).statements?.length !== 0

function requireOwn(own: PlaybookVersion | null, play: string): void {
  if (!own || !hasSentences(own))
    throw new Refusal('invalid', 'playbook_is_default', `The account has no own sentences of ${play} to take back.`)
}

/** The file's content. @throws UsageError when it can't be read, Refusal with every fault of its sentences */
async function readChecked(context: CommandContext, playbook: Playbook): Promise<Body & { [name: string]: JsonValue }> {
  const file = required(context, 'file')
  const text = file === '-' ? await context.input() : await readFile(file, 'utf8').catch(() => null)
  if (text === null) throw new UsageError(`--file: cannot read "${file}"`)
  if (text.length > LONGEST_FILE) throw new UsageError(`--file: longer than ${LONGEST_FILE} characters`)
  const body = parsed(text)
  refuseFaults(checkOverride(playbook, body))
  return body as Body & { [name: string]: JsonValue }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('--file must be JSON, e.g. {"statements": [{"id": "contact", "off": true}]}')
  }
}

function refuseFaults(faults: readonly PlaybookFault[]): void {
  if (faults.length === 0) return
  const lines = faults.map(({ path, message }) => `${path}: ${message}`)
  throw new Refusal('invalid', 'playbook_invalid', lines.join('\n'))
}
