import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../../db/merchants/accounts.ts'
import { playbookOf } from '../../../domain/evidence/playbooks/index.ts'
import { addChargeback, addIntegration, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'
import { operatorsOf, playbookFile } from './audit-fixture.ts'

/** The example of the guide for operators. */
const [, EXAMPLE = ''] = /```json\n(\{\s+"statements":.*?)```/s.exec(readFileSync('docs/operating.md', 'utf8')) ?? []
const { version } = playbookOf('not_received')
const CLAIM = { card_scheme: 'visa', reason_code: '13.1' }

let stage: Stage
let at: Place
let recoup: ReturnType<typeof operatorsOf>['recoup']
let json: ReturnType<typeof operatorsOf>['json']
let accountId: string
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  ;({ recoup, json } = operatorsOf(stage))
  ;({ accountId } = stage)
})
afterAll(() => stage[Symbol.asyncDispose]())

const why = ['--reason', 'The account asked for it.']
const play = () => ['--account', accountId, '--play', 'not_received']
const set = (content: unknown, ...more: string[]) =>
  json('playbook', 'set', ...play(), '--file', playbookFile(content), ...why, ...more)

/** A chargeback about goods not received, with what the example's sentences need. */
async function disputed(place = at): Promise<string> {
  const id = await addChargeback(stage.db, place, CLAIM)
  if (place === at) {
    const body = { deliveryDate: '2026-01-18', transactionShippingToFullShippingAddress: '12 Mill Lane, LS1 4DY' }
    expect(await stage.call('PATCH', `/v1/chargebacks/${id}`, { body })).toMatchObject({ status: 201 })
  }
  return id
}

describe('npm run recoup -- playbook set', () => {
  it('stores the example of the guide as versions 1 and 2; show marks what is the account’s', async () => {
    expect(await json('playbook', 'check', '--play', 'not_received', '--file', playbookFile(EXAMPLE))).toEqual({
      ...{ play: 'not_received', sentences: 3, faults: [] },
    })
    expect(await json('playbook', 'show', '--account', accountId)).toContainEqual(
      expect.objectContaining({ play: 'not_received', version, override: null, createdBy: null }),
    )
    expect(await set(EXAMPLE)).toEqual({ accountId, play: 'not_received', version: 1, replaces: null, sentences: 3 })
    expect(await set(EXAMPLE, '--operator', 'bob')).toMatchObject({ version: 2, replaces: 1 })
    const sentences = await json('playbook', 'show', ...play())
    const from = (id: string) => sentences.find((one: { id: string }) => one.id === id)?.from
    expect({ delivered: from('delivered'), contact: from('contact'), signed: from('signed') }).toEqual({
      ...{ delivered: 'account', contact: 'off', signed: 'default' },
    })
    expect(sentences.at(-1)).toMatchObject({ id: 'porch_photo', from: 'account', files: 'photo' })
    expect(await json('playbook', 'show', '--account', accountId)).toContainEqual({
      ...{ play: 'not_received', version, override: 2, createdBy: 'bob', createdAt: expect.any(String) },
      sentences: playbookOf('not_received').statements.length,
    })
    const { out } = await recoup(['playbook', 'show', ...play(), '--version', '1'])
    expect(JSON.parse(out)).toEqual(JSON.parse(EXAMPLE))
  })

  it('shows its sentences and both versions in the preview of the account’s chargebacks, and of no other’s', async () => {
    const id = await disputed()
    const preview = await json('playbook', 'preview', id, '--sentences')
    expect(preview).toMatchObject({ play: 'not_received', version, override: 2, warnings: [] })
    expect(preview.statements.find((one: { id: string }) => one.id === 'delivered')).toMatchObject({
      ...{ kept: true, own: true, text: expect.stringMatching(/18 January 2026/) },
    })
    const { out } = await recoup(['playbook', 'preview', id, '--sentences'])
    expect(out.startsWith(`Playbook not_received, version ${version} with the account's version 2: `)).toBe(true)
    expect(out).toContain("  delivered (the account's): ")
    expect(out).toContain('  contact: left out by the account\n')

    const { accountId: strange } = await createAccount(stage.db, { name: 'Other' })
    const { merchantUuid } = await stage.newMerchant(strange)
    const integrationId = await addIntegration(stage.db, stage.ring, merchantUuid)
    const theirs = await json('playbook', 'preview', await disputed({ merchantUuid, integrationId }))
    expect(theirs).toMatchObject({ play: 'not_received', override: null })
    expect(theirs.statements.filter((one: { own?: true }) => one.own)).toEqual([])
    const all = await json('playbook', 'show', '--account', strange)
    expect(all.filter((one: { override: unknown }) => one.override !== null)).toEqual([])
    const hidden = await recoup(['playbook', 'show', '--account', strange, '--play', 'not_received', '--version', '1'])
    expect(hidden).toMatchObject({ code: 1, err: expect.stringMatching(/has no version 1 of not_received/) })
  })

  it('takes them back by --default, as a version; there is nothing to take back twice', async () => {
    const back = ['playbook', 'set', ...play(), '--default', ...why]
    expect(await json(...back)).toMatchObject({ version: 3, replaces: 2, sentences: 0 })
    expect(await json('playbook', 'preview', await disputed())).toMatchObject({ override: null })
    expect(await recoup(back)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no own sentences of not_received/),
    })
    const trail = await json('audit', 'list', '--action', 'playbook set')
    expect(trail.map(({ details }: { details: unknown }) => details)).toEqual([
      { play: 'not_received', version: 3, sentences: 0 },
      ...[2, 1].map((version) => ({ play: 'not_received', version, sentences: 3 })),
    ])
  })

  it('refuses every fault at once, by path, and stores nothing', async () => {
    const text = '{{ goods | upcase }} {{ mail }}'
    const file = playbookFile({
      statements: [
        { id: 'a', weight: 1, text },
        { id: 'a', off: true },
      ],
      play: 'credit',
    })
    const wanted = [
      'play: Unknown field.',
      'statements[0].text: Unknown filter upcase: use one of date, dateTime, money, list, count, last4.',
      'statements[0].text: Unknown fact mail.',
      'statements[1].id: The id comes twice.',
      'statements[1].id: Recoup has no sentence of this id to leave out.',
    ]
    for (const command of [
      ['set', ...play(), ...why],
      ['check', '--play', 'not_received'],
    ])
      expect(await recoup(['playbook', ...command, '--file', file])).toMatchObject({ code: 1, err: wanted.join('\n') })
    expect(await json('playbook', 'show', '--account', accountId)).not.toContainEqual(
      expect.objectContaining({ override: expect.any(Number) }),
    )
  })

  it.each<[string, () => string[], RegExp]>([
    [
      'no account',
      () => ['set', ...play().with(1, at.integrationId), '--file', playbookFile(EXAMPLE), ...why],
      /no account/,
    ],
    ['no reason', () => ['set', ...play(), '--default'], /--reason is missing/],
    ['neither file nor --default', () => ['set', ...play(), ...why], /either --file or --default/],
    ['both', () => ['set', ...play(), '--default', '--file', 'x', ...why], /either --file or --default/],
    ['no such file', () => ['set', ...play(), '--file', '/nowhere', ...why], /cannot read "\/nowhere"/],
    ['no JSON', () => ['set', ...play(), '--file', playbookFile('{'), ...why], /must be JSON/],
    ['a long file', () => ['set', ...play(), '--file', playbookFile('x'.repeat(200_001)), ...why], /longer than/],
    ['another play', () => ['set', ...play().with(3, 'x'), '--default', ...why], /--play must be one of/],
    ['two things to check', () => ['check', '--account', accountId, '--file', 'x'], /either --file or --account/],
    ['a file without a play', () => ['check', '--file', playbookFile(EXAMPLE)], /--play is missing/],
    ['a play without anything of it to check', () => ['check', '--play', 'credit'], /--play needs --file or --account/],
    ['a version that is none', () => ['show', ...play(), '--version', '1.5'], /--version must be a whole number/],
    [
      'standard input, by its names only',
      () => ['set', ...play(), '--file', '-', ...why],
      /^apiKey: Unknown field\.$/m,
    ],
  ])('refuses %s', async (_, args, err) => {
    const refused = await recoup(['playbook', ...args()])
    expect(refused).toMatchObject({ out: '', err: expect.stringMatching(err) })
    expect(refused.err).not.toContain('planted')
  })
})

describe('sentences that an upgrade no longer knows', () => {
  it('leave Recoup’s own with a warning in the preview; check --account names them', async () => {
    const old = { id: 'delivered', text: 'Delivered on {{ deliveredOn | date }}.', weight: 3 }
    await stage.db
      .insertInto('evidence_playbook')
      .values({
        ...{ account_id: accountId, play: 'not_received', version: 4, created_by: 'alice' },
        body: JSON.stringify({ statements: [old, { id: 'contact', off: true }] }),
      })
      .execute()
    const id = await disputed()
    const { override, statements, warnings } = await json('playbook', 'preview', id, '--sentences')
    expect(override).toBe(4)
    expect(statements.find((one: { id: string }) => one.id === 'delivered').text).toBe(
      'The order was delivered on 18 January 2026 to 12 Mill Lane, LS1 4DY.',
    )
    expect(statements.find((one: { id: string }) => one.id === 'contact').why).toBe('left out by the account')
    const message = "not_received.delivered: Unknown fact deliveredOn. The account's sentence is not used."
    expect(warnings).toEqual([{ code: 'override', message }])
    expect((await recoup(['playbook', 'preview', id])).out).toContain(`Warnings\n  ${message}\n`)
    expect(await recoup(['playbook', 'check', '--account', accountId])).toMatchObject({
      ...{ code: 1, err: 'not_received, version 4: statements[0].text: Unknown fact deliveredOn.' },
    })
    expect(await json('playbook', 'check', '--account', accountId, '--play', 'credit')).toMatchObject({ playbooks: 0 })
  })
})
