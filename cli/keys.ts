import { type ResealProgress, resealAll } from '../db/core/reseal.ts'
import { countByKey, noteKeys } from '../db/core/sealing-keys.ts'
import { recordAction } from '../db/merchants/operator-actions.ts'
import { listSigningKeys, rotateSigningKey } from '../db/merchants/signing-keys.ts'
import { type Command, type CommandContext, readDate } from './command.ts'
import { type Approvable, approvable } from './second-person.ts'

export const rotateAction: Approvable = {
  for: 'keys',
  summary: 'create a new signing key; older tokens stay valid until they expire',
  options: { 'cut-off?': 'date-time from which tokens of older keys are refused' },
  read: (context) => ({
    subject: null,
    parameters: { cutOff: readDate(context, 'cut-off')?.toISOString() ?? null },
  }),
  made: (done) => (done as { kid: string }).kid,
  perform: (context, trx, { parameters: { cutOff } }) =>
    rotateSigningKey(trx, context.ring(), { cutOff: typeof cutOff === 'string' ? new Date(cutOff) : undefined }),
}

interface KeyCount {
  key: string
  /** `seals` new values, only `opens` old ones, or is `missing` from the key ring of this command. */
  ring: 'seals' | 'opens' | 'missing'
  /** Number of values that it sealed. */
  rows: number
}

async function statusOf({ db, ring }: CommandContext): Promise<KeyCount[]> {
  const { current, keys } = ring()
  const counts = await countByKey(db)
  const known = [...new Set([...keys.keys(), ...counts.keys()])]
  return known.map((key) => ({
    key: key || 'malformed',
    ring: key === current ? 'seals' : keys.has(key) ? 'opens' : 'missing',
    rows: counts.get(key) ?? 0,
  }))
}

/** Locked rows are skipped: further rounds find them unlocked. */
const MAX_ROUNDS = 10

export const resealAction: Approvable = {
  for: 'keys',
  summary: 'seal with the first encryption key what the others sealed; continues where an earlier run stopped',
  long: true,
  read: (context) => ({ subject: context.ring().current, parameters: {} }),
  async perform(context, db, { operator, reason }) {
    const ring = context.ring()
    await noteKeys(db, ring)
    const total = { resealed: 0, unreadable: 0 }
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const done = await resealAll(db, ring, reporter(context))
      total.resealed += done.resealed
      total.unreadable = done.unreadable
      if (done.resealed === 0) break
    }
    const keys = await statusOf(context)
    const left = keys.filter((key) => key.ring !== 'seals')
    const details = { ...total, left: Object.fromEntries(left.map(({ key, rows }) => [key, rows])) }
    await recordAction(db, {
      ...{ operator, action: 'key reseal', outcome: 'done', subject: ring.current, reason, details },
    })
    return keys
  },
}

/** A line per column and thousand values. */
function reporter({ progress }: CommandContext): (progress: ResealProgress) => void {
  const last = new Map<string, number>()
  return ({ table, column, resealed }) => {
    const place = `${table}.${column}`
    const thousands = Math.floor(resealed / 1_000)
    if (last.get(place) === thousands) return
    last.set(place, thousands)
    progress(`${place}: ${resealed} resealed`)
  }
}

export const key: Record<string, Command> = {
  list: {
    summary: 'list the keys that sign tokens, newest first',
    list: 'all',
    run: ({ db }) => listSigningKeys(db),
  },
  status: {
    summary: 'list encryption keys with the number of values sealed with each',
    list: 'all',
    run: statusOf,
  },
  reseal: approvable(resealAction),
  rotate: approvable(rotateAction),
}
