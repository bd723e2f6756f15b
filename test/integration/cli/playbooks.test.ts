import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seal, sealContext } from '../../../db/core/seal.ts'
import { PLAYBOOKS, playbookOf } from '../../../domain/evidence/playbooks/index.ts'
import { pagesByPdfJs } from '../../unit/files/evidence/pdf-text.ts'
import { addChargeback, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'
import { operatorsOf } from './audit-fixture.ts'

const { version } = playbookOf('fraud_cnp')

let stage: Stage
let at: Place
let operators: ReturnType<typeof operatorsOf>
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  operators = operatorsOf(stage)
})
afterAll(() => stage[Symbol.asyncDispose]())

/** A Visa fraud chargeback with data of all sources. */
async function knownChargeback(): Promise<string> {
  const id = await addChargeback(stage.db, at, {
    ...{ chargeback_id: 'du_fraud', transaction_id: 'ch_fraud', card_scheme: 'visa', reason_code: '10.4' },
    ...{ card_last_four_digits: '4242', posting_date: new Date('2026-01-31T09:30:00Z') },
  })
  const card = {
    transactionCardLastFourDigits: '4242',
    transactionShippingToFullShippingAddress: '12 Mill Lane, LS1 4DY',
  }
  const order = { ...card, transactionOrderIpAddress: '203.0.113.7' }
  for (const [transactionId, transactionCreatedDate] of [
    ['ch_fraud', '2026-01-20T10:00:00Z'],
    ['ch_early', '2025-07-05T10:00:00Z'],
    ['ch_later', '2025-08-06T10:00:00Z'],
  ]) {
    const body = { ...order, transactionId, transactionCreatedDate }
    expect(await stage.call('POST', '/v1/transactions', { body })).toMatchObject({ status: 201 })
  }
  const body = {
    transactionOrderItemsProductName: 'planted shoes',
    deliveryDate: '2026-01-18',
    shippingDate: '2026-01-22',
  }
  await stage.call('PATCH', `/v1/chargebacks/${id}`, { body })
  const charge = { id: 'ch_fraud', created: 1_768_903_200, calculated_statement_descriptor: 'SHOES.EXAMPLE' }
  await stage.db
    .insertInto('raw_object')
    .values({
      ...{ integration_id: at.integrationId, kind: 'context', reference: 'du_fraud', persons: [] },
      sealed: seal(stage.ring, JSON.stringify({ charge, evidence: null }), sealContext.rawObject(at.integrationId)),
    })
    .execute()
  return id
}

describe('npm run recoup -- playbook', () => {
  it('show lists the playbooks and the sentences of one', async () => {
    const all = await operators.json('playbook', 'show')
    expect(all.map(({ play }: { play: string }) => play)).toEqual(PLAYBOOKS.map(({ id }) => id))
    const one = await operators.json('playbook', 'show', '--play', 'not_received')
    expect(one[0]).toMatchObject({ id: 'delivered', weight: 3, text: expect.stringContaining('{{ deliveryDate') })
    expect(await operators.recoup(['playbook', 'show', '--play', 'x'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--play must be one of fraud_cnp/),
    })
  })

  it('check finds no fault in Recoup’s playbooks', async () => {
    expect(await operators.json('playbook', 'check')).toMatchObject({ playbooks: PLAYBOOKS.length, faults: [] })
  })

  it('preview shows facts by source, contradictions and what is missing; no value without --sentences', async () => {
    const id = await knownChargeback()
    const preview = await operators.json('playbook', 'preview', id, '--files', 'usage,receipt')
    expect(preview).toMatchObject({
      ...{ play: 'fraud_cnp', version, manualOnly: false, requiredMissing: [] },
      missing: expect.arrayContaining(['avsResult', 'deliveryDate']),
      warnings: [{ code: 'contradiction', message: 'The delivery is before the shipment.' }],
    })
    const source = (fact: string) => preview.facts.find((one: { fact: string }) => one.fact === fact)
    expect(source('goods')).toMatchObject({ source: 'client', name: 'transactionOrderItemsProductName' })
    expect(source('ip')).toMatchObject({ source: 'record', at: expect.stringMatching(/Z$/) })
    expect(source('descriptor')).toMatchObject({ source: 'psp', at: expect.stringMatching(/Z$/) })
    expect(source('postingDate')).toMatchObject({ source: 'chargeback' })
    expect(source('earlierPurchaseDates')).toMatchObject({ source: 'derived' })
    const statement = (named: string) => preview.statements.find((one: { id: string }) => one.id === named)
    expect(statement('ordered_from')).toEqual({
      ...{ id: 'ordered_from', kept: true, facts: ['origin'], exhibits: ['usage'], letters: [] },
    })
    expect(statement('delivered')).toMatchObject({ kept: false, why: 'excluded: deliveryDate' })
    expect(JSON.stringify(preview)).not.toMatch(/203\.0|planted|Mill Lane|SHOES/)
  })

  it('--sentences prints what an issuer would read', async () => {
    const [{ id = '' } = {}] = await stage.db.selectFrom('chargeback').select('id').execute()
    const { statements } = await operators.json('playbook', 'preview', id, '--sentences')
    const texts = statements.flatMap(({ text }: { text?: string }) => text ?? [])
    expect(texts).toContain('The order was for: planted shoes.')
    expect(texts).toContain('The order was placed from the IP address 203.0.113.7.')
    expect(texts[0]).toBe(
      'Two earlier payments with the same card, on 5 July 2025 and 6 August 2025, had the same IP address and delivery address as this one; neither is known to be disputed.',
    )
  })

  it('shows the text fields of the chargeback’s PSP by their length; their texts with --sentences', async () => {
    const [{ id = '' } = {}] = await stage.db.selectFrom('chargeback').select('id').execute()
    const bare = await operators.json('playbook', 'preview', id)
    const fields = ['uncategorized_text', 'product_description', 'customer_purchase_ip', 'shipping_address']
    expect(bare).toMatchObject({ psp: 'Stripe', textsLeftOut: [] })
    expect(bare.texts.map(({ field }: { field: string }) => field)).toEqual(fields)
    expect(bare.texts[1]).toEqual({ field: 'product_description', characters: 13 })
    const { texts, statements } = await operators.json('playbook', 'preview', id, '--sentences')
    expect(texts[1]).toEqual({ field: 'product_description', characters: 13, text: 'planted shoes' })
    const said = statements.flatMap(({ text }: { text?: string }) => text ?? [])
    expect(texts[0].text).toBe(said.join(' '))
    const body = { uncategorized_text: 'Our own words.' }
    await stage.call('PATCH', `/v1/chargebacks/${id}`, { body })
    const own = await operators.json('playbook', 'preview', id, '--sentences')
    expect(own.texts[0]).toEqual({ field: 'uncategorized_text', characters: 14, text: 'Our own words.' })
  })

  it('preview prints readable text, the missing data first', async () => {
    const [{ id = '' } = {}] = await stage.db.selectFrom('chargeback').select('id').execute()
    const { out } = await operators.recoup(['playbook', 'preview', id, '--files', 'usage', '--sentences'])
    const [headline, ...rest] = out.split('\n')
    expect(headline).toMatch(new RegExp(`^Playbook fraud_cnp, version ${version}: \\d+ % of its data is known\\.$`))
    const titles = rest.filter((line) => /^[A-Z]/.test(line))
    expect(titles).toEqual([
      'Also useful, and missing',
      'Warnings',
      expect.stringMatching(/^Sentences that can be said, \d+ of \d+$/),
      'Sentences that are left out',
      'Text fields of Stripe',
      'Facts',
    ])
    expect(out).toContain('  The delivery is before the shipment.\n')
    expect(out).toContain('  ordered_from: The order was placed from the IP address 203.0.113.7. (shown by usage)\n')
    expect(out).toContain('  delivered: excluded: deliveryDate\n')
    expect(out).toContain('  product_description: planted shoes\n')
    expect(Math.max(...rest.slice(0, rest.indexOf('Facts')).map(({ length }) => length))).toBeLessThanOrEqual(110)
    expect(out).not.toContain('{')
  })

  it('preview --pdf writes the evidence as a PDF, says its pages and bytes, and overwrites nothing', async () => {
    const [{ id = '' } = {}] = await stage.db.selectFrom('chargeback').select('id').execute()
    const folder = mkdtempSync(join(tmpdir(), 'recoup-preview-'))
    const file = join(folder, 'evidence.pdf')
    try {
      const { pdf } = await operators.json('playbook', 'preview', id, '--files', 'usage', '--pdf', file)
      expect(pdf).toEqual({ file, pages: 1, bytes: statSync(file).size, exhibits: [], warnings: [] })
      const content = readFileSync(file)
      const [page = ''] = await pagesByPdfJs(content)
      expect(page).toMatch(/Evidence for dispute du_fraud .*Reason 10\.4: fraud, card not present/)
      expect(page).toContain('The order was placed from the IP address 203.0.113.7.')
      expect(page).not.toContain('18 January 2026')
      expect(await operators.recoup(['playbook', 'preview', id, '--pdf', file])).toMatchObject({
        code: 2,
        err: expect.stringContaining(`${file} exists already, and is not overwritten`),
      })
      expect(readFileSync(file)).toEqual(content)
      const other = join(folder, 'other.pdf')
      const { out } = await operators.recoup(['playbook', 'preview', id, '--pdf', other])
      expect(out).toContain(`${statSync(other).size} bytes`)
      expect(out).toContain('1 page,')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('preview --pdf writes no file about a chargeback without data', async () => {
    const id = await addChargeback(stage.db, at, {
      chargeback_id: 'du_empty',
      card_scheme: 'visa',
      reason_code: '13.1',
    })
    const file = join(tmpdir(), `recoup-${id}.pdf`)
    expect(await operators.recoup(['playbook', 'preview', id, '--pdf', file])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^Nothing that is known answers reason 13\.1\. Send deliveryDate; /),
    })
    expect(existsSync(file)).toBe(false)
  })

  it('refuses an unknown chargeback and an unknown kind of file', async () => {
    const missing = await operators.recoup(['playbook', 'preview', '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'])
    expect(missing).toMatchObject({ code: 1, err: expect.stringMatching(/no chargeback/i) })
    const [{ id = '' } = {}] = await stage.db.selectFrom('chargeback').select('id').execute()
    expect(await operators.recoup(['playbook', 'preview', 'du_fraud'])).toMatchObject({ code: 2 })
    expect(await operators.recoup(['playbook', 'preview', id, '--files', 'receipts'])).toMatchObject({ code: 2 })
  })
})
