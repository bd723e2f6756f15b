import { describe, expect, test } from 'vitest'
import { adyenSimulator } from '../../../../simulators/adyen/index.ts'
import { DEMO_ACCOUNT, DEMO_KEY, REPORT_PASSWORD, REPORT_USER } from '../../../../simulators/adyen/keys.ts'
import { type RunningSimulator, startSimulator } from '../../../../simulators/engine/serve.ts'
import { control, create } from '../../adapters/adyen/at-simulator.ts'

const AUTHORIZATION = `Basic ${Buffer.from(`${REPORT_USER}:${REPORT_PASSWORD}`).toString('base64')}`

/** Downloads the report of a day. */
async function report(
  running: RunningSimulator,
  day: string,
  {
    level = `MerchantAccount/${DEMO_ACCOUNT}`,
    headers = { authorization: AUTHORIZATION } as Record<string, string>,
  } = {},
) {
  const file = `dispute_report_${day.replaceAll('-', '_')}.csv`
  const response = await fetch(`${running.url}/reports/download/${level}/${file}`, { headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  const [title = '', ...lines] = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\n')
  const titles = title.split(',')
  const rows = lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, index) => [titles[index] ?? '', cell])),
  )
  return { status: response.status, bytes, titles, rows }
}

async function fixture(running: RunningSimulator) {
  const ref = await create(running, { currency: 'JPY', amount: '1200' })
  const { object } = await control<{ object: { items: { eventDate: string }[] } }>(running, 'GET', `/disputes/${ref}`)
  await control(running, 'POST', '/clock', { seconds: 2 * 86_400 })
  return { ref, day: String(object.items[0]?.eventDate).slice(0, 10) }
}

describe('the daily dispute report', () => {
  test('is CSV with a byte order mark, amounts in major units and records in camel case', async () => {
    await using running = await startSimulator(adyenSimulator)
    const { ref, day } = await fixture(running)
    const { status, bytes, titles, rows } = await report(running, day)
    expect(status).toBe(200)
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    expect(titles).toEqual(expect.arrayContaining(['Dispute PSP Reference', 'Record Date TimeZone', 'CB Reason Code']))
    expect(rows.find((row) => row['Dispute PSP Reference'] === ref)).toMatchObject({
      'Merchant Account': DEMO_ACCOUNT,
      'Record Type': 'NotificationOfChargeback',
      'Dispute Currency': 'JPY',
      'Dispute Amount': '1200',
      'CB Reason Code': '4837',
    })
    const { rows: all } = await report(running, day, { level: 'Company/RecoupDemo' })
    expect(all).toEqual(rows)
  })

  test('is not found for a day without data, an unknown account, or today', async () => {
    await using running = await startSimulator(adyenSimulator)
    const { day } = await fixture(running)
    expect((await report(running, '2001-01-01')).status).toBe(404)
    expect((await report(running, day, { level: 'MerchantAccount/Nobody' })).status).toBe(404)
    const { now } = await control<{ now: string }>(running, 'GET', '/')
    await create(running)
    expect((await report(running, now.slice(0, 10))).status).toBe(404)
  })

  test('needs the report user', async () => {
    await using running = await startSimulator(adyenSimulator)
    const { day } = await fixture(running)
    expect((await report(running, day, { headers: {} })).status).toBe(401)
    expect((await report(running, day, { headers: { 'x-api-key': DEMO_KEY } })).status).toBe(403)
    expect((await report(running, day, { headers: { 'x-api-key': REPORT_PASSWORD } })).status).toBe(200)
  })
})
