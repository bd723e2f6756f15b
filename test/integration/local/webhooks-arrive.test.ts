import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { TRIGGERED } from '../../../cli/trigger/trigger.ts'
import { connect } from '../../../db/core/connect.ts'
import { installLocally } from '../../harness/installation/npm-start.ts'
import { until } from '../../harness/until.ts'

const REFUSED = 'evidence package refused'
const SENT = 'data points changed'
const webhookLines = (output: string) => output.match(/^ {2}webhook {2}.*$/gm) ?? []

test('within the first minute the terminal shows webhooks of the demo, and those that `recoup trigger` causes', async () => {
  await using local = await installLocally()
  const start = local.start()
  const stack = await start.ready()
  const ready = Date.now()
  const line = (...parts: string[]) =>
    until(`the terminal shows ${parts.join(' ')}`, async () =>
      webhookLines(start.output()).find((one) => parts.every((part) => one.includes(part))),
    )
  expect(await line(' integration.verified ')).toMatch(
    /^ {2}webhook {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}integration\.verified +demo-shop {2}Simulated \w+/,
  )
  expect(Date.now() - ready).toBeLessThan(30_000)
  await line(' integration.first_load_completed ', 'Simulated stripe')

  const lines = start.output().match(/^ +curl .*$/gm) ?? []
  const accept = lines.find((one) => one.includes('-X POST')) ?? ''
  expect(JSON.parse(execFileSync('bash', ['-c', accept], { encoding: 'utf8' }))).toMatchObject({ status: 200 })
  await line(' acceptance.succeeded ')

  const recoup = async (...words: string[]) => {
    const printed: string[] = []
    const print = (text: string) => void printed.push(text)
    const code = await runCommandLine(words, { env: { RECOUP_DATA_FOLDER: local.folder }, out: print, err: print })
    return { code, printed }
  }
  for (const type of TRIGGERED) {
    const { code, printed } = await recoup('trigger', type)
    expect({ code, printed }).toEqual({
      code: 0,
      printed: expect.arrayContaining([expect.stringContaining(` ${type} `)]),
    })
    const [, reference = ''] = / demo-shop {2}(\S+)/.exec(printed.at(-1) ?? '') ?? []
    await line(` ${type} `, reference)
  }
  for (const psp of Object.keys(stack.simulators)) {
    const { code, printed } = await recoup('trigger', 'chargeback.won', '--psp', psp)
    expect({ psp, code, printed }).toMatchObject({
      code: 0,
      printed: [expect.stringContaining('chargeback.created'), expect.stringContaining('chargeback.won')],
    })
  }

  // Every package of the demo can be built, also on a busy machine. A case of which only the payment is known is refused: at
  // some hours of the day its due date is so near that Recoup doesn't wait for data.
  await line(' evidence package built')
  const db = connect(stack.databaseUrl, { scope: 'system', max: 1 })
  const told = await db
    .selectFrom('timeline_event')
    .select(['chargeback_id', 'what', 'after'])
    .where('what', 'in', [REFUSED, SENT])
    .orderBy('timeline_event_id')
    .execute()
    .finally(() => db.destroy())
  // One may be refused before its data arrive, and for compliance cases Recoup never builds a package.
  const refused = told.filter(
    (one, at) =>
      one.what === REFUSED &&
      (one.after as { play?: string }).play !== 'compliance' &&
      told.slice(0, at).some(({ what, chargeback_id }) => what === SENT && chargeback_id === one.chargeback_id),
  )
  expect(told.map(({ what }) => what)).toContain(SENT)
  expect(refused).toEqual([])

  // Each event was signed with the secret that only its owner can read.
  expect(start.output()).not.toContain('refused: the signature')
  expect(existsSync(join(local.folder, 'receiver.json'))).toBe(true)
  const { secret } = JSON.parse(readFileSync(join(local.folder, 'receiver.json'), 'utf8'))
  expect(start.output()).not.toContain(secret)
  const forged = await fetch(stack.receiverUrl ?? '', { method: 'POST', body: '{}' })
  expect(forged.status).toBe(401)
}, 400_000)
