import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clientOf, connect, refusal } from './connect.ts'
import type { Started } from './snapshot-process.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recoup-simulator-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function startProcess(file: string): Promise<Started & { child: ChildProcess }> {
  const program = join(import.meta.dirname, 'snapshot-process.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', program, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  return { child, ...JSON.parse(String(line)) }
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

describe('snapshot file', () => {
  it('loses nothing when the process is killed', async () => {
    const file = join(folder, 'stripe.jsonl')
    const first = await startProcess(file)
    const post = (path: string, body: unknown): Promise<Response> =>
      fetch(first.controlUrl + path, { method: 'POST', body: JSON.stringify(body) })
    await post('/disputes', { count: 30 })
    const created = await post('/disputes', {
      count: 2,
      status: 'needs_response',
      stage: 'chargeback',
      dueInHours: 300,
    })
    const [open, other] = ((await created.json()) as { disputes: { ref: string }[] }).disputes.map((d) => d.ref)
    await post('/clock', { seconds: 86_400 })
    const data = Buffer.from('%PDF-1.4 proof')
    const stripe = clientOf(first.url)
    const upload = await stripe.files.create({
      purpose: 'dispute_evidence',
      file: { data, name: 'a.pdf', type: 'application/pdf' },
    })
    await stripe.disputes.close(open ?? '', {}, { idempotencyKey: 'k' })
    await stripe.disputes.update(other ?? '', { evidence: { receipt: upload.id }, submit: false })
    const before = await stripe.disputes.list({ limit: 100, expand: ['data.charge'] })
    const events = await stripe.events.list({ limit: 100 })
    const effects = await (await fetch(`${first.controlUrl}/effects`)).json()
    await kill(first.child)

    const second = await startProcess(file)
    try {
      const again = clientOf(second.url)
      expect((await again.disputes.list({ limit: 100, expand: ['data.charge'] })).data).toEqual(before.data)
      expect((await again.events.list({ limit: 100 })).data).toEqual(events.data)
      expect(await (await fetch(`${second.controlUrl}/effects`)).json()).toEqual(effects)
      expect((await (await fetch(`${second.controlUrl}/clock`)).json()) as object).toMatchObject({
        offsetSeconds: 86_400,
      })
      const content = await fetch(`${second.controlUrl}/files/${upload.id}/content`)
      expect(Buffer.from(await content.arrayBuffer()).equals(data)).toBe(true)
      expect((await again.disputes.close(open ?? '', {}, { idempotencyKey: 'k' })).status).toBe('lost')
      expect((await refusal(again.disputes.close(open ?? '', {}, { idempotencyKey: 'other' }))).statusCode).toBe(400)
      const calls = (await (await fetch(`${second.controlUrl}/calls`)).json()) as { total: number }
      expect(calls.total).toBeGreaterThan(5)
    } finally {
      await kill(second.child)
    }
  }, 60_000)

  it('continues with new ids, and applies deadlines that passed meanwhile', async () => {
    const snapshotFile = join(folder, 'stripe.jsonl')
    let refs: string[] = []
    {
      await using c = await connect({ snapshotFile })
      refs = await c.create({ count: 3, status: 'needs_response', stage: 'chargeback', dueInHours: 1 / 3600 })
    }
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await using c = await connect({ snapshotFile })
    expect((await c.stripe.disputes.retrieve(refs[0] ?? '')).status).toBe('lost')
    const fresh = await c.create({ count: 3 })
    expect(new Set([...refs, ...fresh]).size).toBe(6)
  })

  it('skips a line that is incomplete because the process ended', async () => {
    const snapshotFile = join(folder, 'stripe.jsonl')
    {
      await using c = await connect({ snapshotFile })
      await c.create({ count: 3 })
    }
    appendFileSync(snapshotFile, '["dispute",{"reference":"du_torn","acc')
    await using c = await connect({ snapshotFile })
    expect((await c.stripe.disputes.list()).data).toHaveLength(3)
  })
})
