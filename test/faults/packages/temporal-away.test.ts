import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeSettings } from '../../../db/merchants/account-settings.ts'
import { startTemporalServer } from '../../../local/temporal/server.ts'
import { quietPorts } from '../../../process/ports.ts'
import { chargebackOf, createDispute, pollNow, submissionEnd } from '../../harness/rows.ts'
import { testServers } from '../../harness/servers.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import { DELIVERED } from '../../integration/workflows/evidence/package-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'recoup-automatic-'))
let options: Parameters<typeof startTemporalServer>[0]
let server: Awaited<ReturnType<typeof startTemporalServer>>
let stack: Stack

beforeAll(async () => {
  const [port = 0] = await quietPorts(1)
  const cli = { path: testServers().temporalCli, origin: 'test', version: 'test' }
  const files = { folder, logFile: join(folder, 'log') }
  options = { cli, port, uiPort: null, ...files, exactTimers: true, namespaces: ['default'] }
  server = await startTemporalServer(options)
  stack = await startStack({ temporal: { address: server.address, namespace: 'default' } })
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const PATIENT = { timeoutMs: 120_000 }
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const automatic = (hoursBeforeDue: number) =>
  changeSettings(stack.db, stack.accountId, { automaticSubmission: { mode: 'auto', hoursBeforeDue } })

test('evidence whose time comes while Temporal is unavailable is submitted when it is back, once', async () => {
  const integrationId = await stack.connectStripe()
  await automatic(30)
  const ref = await createDispute(stack, { stage: 'chargeback', reason: '13.1', dueInHours: 60 })
  await pollNow(stack, integrationId)
  const id = (await chargebackOf(stack, ref)).id as string
  expect((await stack.call('PATCH', `/chargebacks/${id}/should-fight`, { shouldFight: true })).status).toBe(201)
  // The PSP has its own e-mail address and postal code of the customer.
  const agreeing = { ...DELIVERED, transactionOrderEmail: '', transactionShippingToZipCode: 'LS1 4DY' }
  const points = { ...agreeing, shippingDate: daysAgo(60), deliveryDate: daysAgo(57) }
  expect((await stack.call('PATCH', `/chargebacks/${id}`, points)).status).toBe(201)
  const draft = () => stack.call('GET', `/chargebacks/${id}/evidence/draft`)
  const built = await until('the package is built', draft, { ...PATIENT, holds: ({ status }) => status === 200 })
  expect(built.body.automatic).toMatchObject({ policy: 'auto', blockedBy: [] })

  await server.stop()
  await automatic(66)
  expect(Date.parse((await draft()).body.automatic.at)).toBeLessThan(Date.now())
  const commands = () => stack.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).execute()
  expect(await commands()).toEqual([])
  server = await startTemporalServer(options)

  const [command] = await until('it is submitted', commands, { ...PATIENT, holds: (found) => found.length > 0 })
  expect(command).toMatchObject({ kind: 'evidence_submission', credential_id: null })
  expect(await submissionEnd(stack, id, command?.command_id ?? '', 120_000)).toMatchObject({ status: 'succeeded' })
  const { body } = await stack.control('GET', `/effects?ref=${ref}&kind=submission`)
  expect(body.effects).toHaveLength(1)
  expect(await commands()).toHaveLength(1)
}, 400_000)
