import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { automaticCases } from '../../../db/packages/automatic.ts'
import { addChargeback, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

async function recoup(...args: string[]) {
  let output = ''
  const write = (text: string) => {
    output += text
  }
  const environment = { env: { DATABASE_URL: stage.database.url }, out: write, err: write }
  const code = await runCommandLine([...args, '--json'], environment)
  return { code, output, shown: code === 0 ? JSON.parse(output) : null }
}

/** A chargeback whose package was submitted. */
async function submitted(pspStatus: string, kept: string[], completeness: number): Promise<string> {
  const id = await addChargeback(stage.db, at, { psp_status: pspStatus })
  const about = { merchant_uuid: at.merchantUuid, chargeback_id: id, round: 1 }
  const dispute = { source: 'stripe', psp_account: '?', reference: id, deadline: new Date() }
  const [command, version] = [
    { kind: 'evidence_submission', status: 'succeeded' },
    { version: 1, state: 'frozen' },
  ]
  await stage.db
    .insertInto('command')
    .values({ ...about, ...dispute, ...command, command_id: id })
    .execute()
  await stage.db.insertInto('evidence_submission').values({ command_id: id, file_id: id }).execute()
  await stage.db
    .insertInto('evidence_package')
    .values({
      ...{ ...about, ...version, package_id: id, file_id: id, digest: '', play: 'not_received', playbook_version: 1 },
      ...{ kept, completeness, required_missing: 0, manual_only: false, contradicted: false },
    })
    .execute()
  return id
}

describe('npm run recoup -- evidence', () => {
  it('packages: lists versions without what they say', async () => {
    const id = await submitted('under_review', ['delivered'], 0.5)
    const { shown } = await recoup('evidence', 'packages', id)
    expect(shown).toMatchObject([{ version: 1, state: 'frozen', play: 'not_received', completeness: 0.5 }])
    expect((await recoup('evidence', 'packages', at.merchantUuid)).output).toContain('There is no package')
  })

  it('outcomes: compares sentences and completeness with how chargebacks ended', async () => {
    await submitted('won', ['delivered', 'signed'], 1)
    await submitted('won', ['delivered'], 0.8)
    await submitted('lost', ['delivered'], 0.6)
    await submitted('split', ['signed'], 0.6)
    const { shown } = await recoup('evidence', 'outcomes', '--account', stage.accountId)
    expect(shown).toEqual([
      { play: 'not_received', statement: null, won: 2.5, lost: 1.5, completenessWon: 0.9, completenessLost: 0.6 },
      { play: 'not_received', statement: 'delivered', won: 2, lost: 1, completenessWon: 0.9, completenessLost: 0.6 },
      { play: 'not_received', statement: 'signed', won: 1.5, lost: 0.5, completenessWon: 1, completenessLost: null },
    ])
    expect((await recoup('evidence', 'outcomes', '--account', at.merchantUuid)).shown).toEqual([])
  })

  it("policy: a merchant's settings go before its account's, and every wrong field is named", async () => {
    const policy = (...args: string[]) => recoup('evidence', 'policy', '--merchant', at.merchantUuid, ...args)
    expect((await policy()).shown).toMatchObject({ own: 'default', mode: 'manual', hoursBeforeDue: 48 })
    const account = ['account', 'settings', '--account', stage.accountId, '--set']
    const set = await recoup(...account, '{"automaticSubmission": {"mode": "auto", "minCompleteness": 0.9}}')
    expect(set.shown).toMatchObject({ automaticSubmission: { mode: 'auto', minCompleteness: 0.9 } })
    expect((await policy('--set', '{"hoursBeforeDue": 40}')).shown).toMatchObject({
      ...{ own: { hoursBeforeDue: 40 }, mode: 'auto', hoursBeforeDue: 40, minCompleteness: 0.9 },
    })
    expect((await policy('--set', '{"hoursBeforeDue": 70}')).output).toContain('make it 66 at most')
    expect((await policy('--set', '{"mode": "always", "plays": ["theft"]}')).output).toMatch(/mode: .*plays/s)
    expect((await policy('--default')).shown).toMatchObject({ own: 'default', hoursBeforeDue: 48 })
  })
})

it('the sweep finds every chargeback with an automatic policy, slice by slice, also of one due date', async () => {
  await recoup('evidence', 'policy', '--merchant', at.merchantUuid, '--set', '{"mode": "auto"}')
  const due = new Date(Date.now() + 3_600_000)
  const added = [0, 1, 2].map(() => addChargeback(stage.db, at, { status: 'building_evidence', due_date: due }))
  const ids = await Promise.all(added)
  const found: string[] = []
  for (let after: { dueText: string; chargebackId: string } | null = null; ; ) {
    const [one] = await automaticCases(stage.db, { now: new Date(), hours: 2, after, limit: 1 })
    if (!one) break
    found.push(one.chargebackId)
    after = { dueText: one.dueText ?? '', chargebackId: one.chargebackId }
  }
  expect(found).toEqual(ids.sort())
})
