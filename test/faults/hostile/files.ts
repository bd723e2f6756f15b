import { readFileSync } from 'node:fs'
import { createAccount } from '../../../db/merchants/accounts.ts'
import { issueCredential } from '../../../db/merchants/credentials.ts'
import { createMerchant } from '../../../db/merchants/merchants.ts'
import { samplePdf } from '../../harness/sample-files.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { hostileFiles } from './corpus.ts'
import type { HostileFile } from './hostile-file.ts'

/** Concurrent uploads of the hostile account: more than its half of the processes. */
const AT_ONCE = 3
/** Wait for a slot, start of a process, and the longest check (`UPLOADS` in api/main.ts). */
const MAX_MS = 60_000
/** Allowed memory growth of the API at the end. */
const GROWN_MB = 100
/** Every tenth file with `--reduced`. */
const TENTH = 10
const PAUSE_MS = 200

/**
 * One account uploads the corpus to a real API: each file is accepted or refused in time, the API process doesn't die,
 * another account's uploads succeed meanwhile, and memory is freed.
 */
export async function feedHostileFiles({ reduced, cell, print }: SuiteOptions): Promise<SuiteOutcome[]> {
  await using stack = await startStack({ workers: 0, env: { RECOUP_RATE_LIMIT_PER_MINUTE: '1000000' } })
  const token = await anotherAccount(stack)
  for (let n = 0; n < 4; n++) await upload(stack, honest(n), token)
  const pid = stack.apis[0]?.pid as number
  const before = residentMb(pid)
  const outcomes: SuiteOutcome[] = []
  const work = hostileFiles({ nth: reduced ? TENTH : 1 })
  let over = false
  const neighbour = uploadMeanwhile(stack, token, () => over)
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (const file of work) {
      if (cell && file.name !== cell) continue
      const began = Date.now()
      const why = await faultsOf(stack, file).catch((error) => [
        `the API gave no response: ${(error as Error).message}`,
      ])
      print?.(`  ${file.name}: ${why.join('; ') || 'accepted or refused in time'}, ${Date.now() - began} ms`)
      outcomes.push({ name: file.name, result: why.length > 0 ? 'failed' : 'passed', why })
    }
  })
  await Promise.all(lanes)
  over = true
  outcomes.push(await neighbour, await atRest(stack, pid, before))
  for (const { name, why } of outcomes.slice(-2)) print?.(`  ${name}: ${why.join('; ') || 'passed'}`)
  return outcomes
}

async function anotherAccount({ db, ring }: Stack): Promise<string> {
  const { accountId } = await createAccount(db, { name: 'Neighbour' })
  const contact = { email: 'owner@next.example.com', firstName: 'Nora', lastName: 'Next' }
  await createMerchant(db, ring, { accountId, merchantName: 'Next', websiteUrl: 'https://next.example.com', contact })
  return (await issueCredential(db, ring, { accountId, scope: 'account', environment: 'sandbox' })).token
}

const honest = (n: number): HostileFile => ({
  name: 'an honest file',
  purpose: 'evidence_file',
  expected: 'either',
  content: samplePdf({ catalog: `/Number (${n})` }),
})

async function upload(stack: Stack, file: HostileFile, token: string): Promise<{ status: number; code?: string }> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(file.content)]), 'proof')
  form.append('purpose', file.purpose)
  const response = await fetch(`${stack.apis[0]?.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
    signal: AbortSignal.timeout(MAX_MS),
  })
  return (await response.json()) as { status: number; code?: string }
}

async function faultsOf(stack: Stack, file: HostileFile): Promise<string[]> {
  const { status, code } = await upload(stack, file, stack.token)
  if (status === 400 && (code === 'file_refused' || code === 'file_type_not_accepted')) return []
  if (status === 201 && file.expected === 'either') return []
  return [`the response was ${status} ${code ?? ''}`.trim()]
}

/** Uploads of the other account, one after the other, until the corpus is finished. */
async function uploadMeanwhile(stack: Stack, token: string, over: () => boolean): Promise<SuiteOutcome> {
  const why: string[] = []
  for (let n = 10; !over(); n++) {
    const { status } = await upload(stack, honest(n), token).catch(() => ({ status: 0 }))
    if (status !== 201) why.push(`upload ${n} of another account: ${status || 'no response'}`)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return { name: 'another account’s uploads meanwhile', result: why.length > 0 ? 'failed' : 'passed', why }
}

/** The same process is healthy and as small as before. */
async function atRest(stack: Stack, pid: number, before: number): Promise<SuiteOutcome> {
  const why: string[] = []
  const healthy = await fetch(`${stack.apis[0]?.url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
  if (!healthy) why.push('the API is not healthy any more')
  else {
    const grown = () => residentMb(pid) - before
    const back = () => grown() <= GROWN_MB
    await until('the API frees its memory', async () => back(), { timeoutMs: 120_000 }).catch(() => {
      why.push(`the API uses ${Math.round(grown())} MB more than before`)
    })
  }
  return { name: 'the API afterwards', result: why.length > 0 ? 'failed' : 'passed', why }
}

const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
