import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../local/run-command.ts'
import { clusterTime, processCpuMs } from '../runner/clocks.ts'
import type { ReadMerchant } from './dataset.ts'
import type { ListServer } from './servers.ts'

const CONNECTIONS = 16

export interface LoadResult {
  /** Null without wrk: a generator in JavaScript would measure itself. */
  perSecond: number | null
  /** Of the server, for each request; null where /proc can't tell. */
  cpuUs: number | null
  postgresCpuUs: number | null
}

/** Whether the load generator is installed. */
export const hasWrk = (): Promise<boolean> =>
  runCommand('wrk', ['-v']).then(
    () => true,
    () => false,
  )

/** Lists of merchants in rotation, over sixteen connections. */
export async function loadLists(
  server: ListServer,
  merchants: readonly ReadMerchant[],
  { wrk, seconds, postmaster }: { wrk: boolean; seconds: number; postmaster: number | null },
): Promise<LoadResult> {
  const before = processCpuMs(server.pid)
  const started = performance.now()
  const { postgresCpuMs, result: requests } = await clusterTime(postmaster, () =>
    wrk ? byWrk(server, merchants, seconds) : byNode(server, merchants, seconds),
  )
  const elapsed = (performance.now() - started) / 1000
  const after = processCpuMs(server.pid)
  return {
    perSecond: wrk ? requests / Math.min(elapsed, seconds) : null,
    cpuUs: before === null || after === null ? null : ((after - before) * 1000) / requests,
    postgresCpuUs: postgresCpuMs === null ? null : (postgresCpuMs * 1000) / requests,
  }
}

/** @returns requests that were answered with 200 @throws when one was not */
async function byWrk(server: ListServer, merchants: readonly ReadMerchant[], seconds: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-bench-wrk-'))
  const script = join(folder, 'rotate.lua')
  const quoted = (text: string) => `"${text.replaceAll('"', '\\"')}"`
  const all = merchants.map((merchant) => {
    const headers = Object.entries(server.headers(merchant)).map(
      ([name, value]) => `[${quoted(name)}]=${quoted(value)}`,
    )
    return `{${quoted(server.path(merchant))}, {${headers.join(',')}}}`
  })
  writeFileSync(
    script,
    `local all = {${all.join(',\n')}}
local n = 0
request = function()
  n = n % #all + 1
  return wrk.format("GET", all[n][1], all[n][2])
end`,
  )
  try {
    const words = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, server.url]
    const { code, output } = await runCommand('wrk', words, { timeoutMs: (seconds + 30) * 1000 })
    const requests = Number(/(\d+) requests in/.exec(output)?.[1])
    if (code !== 0 || !(requests > 0) || output.includes('Non-2xx')) throw new Error(`${server.name}: ${output.trim()}`)
    return requests
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function byNode(server: ListServer, merchants: readonly ReadMerchant[], seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const end = performance.now() + seconds * 1000
  let requests = 0
  const one = (merchant: ReadMerchant) =>
    new Promise<void>((resolve, reject) => {
      const url = server.url + server.path(merchant)
      get(url, { agent, headers: server.headers(merchant) }, (response) => {
        response.resume()
        response.on('end', () => {
          if (response.statusCode === 200) return resolve()
          reject(new Error(`${server.name} answered ${response.statusCode}`))
        })
      }).on('error', reject)
    })
  const connection = async () => {
    while (performance.now() < end) await one(merchants[requests++ % merchants.length] as ReadMerchant)
  }
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, connection))
    return requests
  } finally {
    agent.destroy()
  }
}
