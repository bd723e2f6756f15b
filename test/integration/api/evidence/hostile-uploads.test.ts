import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { createFileProcesses } from '../../../../files/processes.ts'
import { nestedArrays } from '../../../faults/hostile/nested-arrays.ts'
import { samplePdf } from '../../../harness/sample-files.ts'
import { multipart } from '../../../interface/multipart.ts'
import { createStage, type Stage } from '../stage.ts'
import { file, purpose } from './uploads.ts'

/** Like the API's, with less time for each file. */
const files = createFileProcesses({ processes: 4, cpuMs: 4_000, wallMs: 60_000, waitMs: 60_000, log: { warn() {} } })
let stage: Stage
beforeAll(async () => {
  stage = await createStage({ files })
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await files[Symbol.asyncDispose]()
})

async function upload(
  content: Buffer,
  token = stage.token,
): Promise<{ status: number; code?: string; message: string }> {
  const { type, body } = multipart([file({ content }), purpose()])
  const headers = { authorization: `Bearer ${token}`, 'content-type': type }
  const response = await stage.app.request('/v1/files', { method: 'POST', headers, body })
  return (await response.json()) as { status: number; code?: string; message: string }
}

async function anotherAccount(): Promise<string> {
  const { accountId } = await createAccount(stage.db, { name: 'Other' })
  const { merchantUuid } = await stage.newMerchant(accountId)
  return (await stage.issue({ accountId, scope: 'merchant', merchantUuid })).token
}

describe('finding 1: a 62 KB PDF whose object stream inflates to nested arrays', () => {
  test('is refused and no API process dies', async () => {
    const before = process.memoryUsage.rss()
    expect(await upload(nestedArrays())).toMatchObject({
      status: 400,
      code: 'file_refused',
      message: expect.stringContaining('too complex to check'),
    })
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024)
    expect((await upload(samplePdf())).status).toBe(201)
  })
})

describe('finding 2: four upload loops of one account', () => {
  const page = samplePdf({ content: 'BT (a) Tj ET '.repeat(2_500_000), deflate: true }).toString('latin1')
  /** Some 100 KB that cost seconds; no two are the same file. */
  const burning = (turn: number) => Buffer.from(page.replace('trailer', `% ${turn}\ntrailer`), 'latin1')

  test('do not affect uploads of another account', async () => {
    const token = await anotherAccount()
    let stop = false
    const refused: string[] = []
    const loops = [0, 1, 2, 3].map(async (loop) => {
      for (let turn = 0; !stop; turn++) refused.push((await upload(burning(loop * 1_000 + turn))).code ?? '')
    })
    await pause(500)
    const statuses: number[] = []
    for (let n = 0; n < 8; n++) statuses.push((await upload(samplePdf({ catalog: `/N (${n})` }), token)).status)
    stop = true
    await Promise.all(loops)
    expect(statuses).toEqual(Array(8).fill(201))
    expect(refused.length).toBeGreaterThan(1)
    expect(new Set(refused)).toEqual(new Set(['file_refused']))
  })
})
