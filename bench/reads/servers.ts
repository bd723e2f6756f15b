import { scriptArguments } from '../../local/run-script.ts'
import { quietPorts } from '../../process/ports.ts'
import { openChild } from '../runner/child.ts'
import { type Dataset, LISTED_STATUS, PAGE, type ReadMerchant } from './dataset.ts'

/** A server that lists chargebacks, in a separate process. */
export interface ListServer {
  name: string
  pid: number
  url: string
  /** Of a merchant's list. */
  path(merchant: ReadMerchant): string
  headers(merchant: ReadMerchant): Record<string, string>
  [Symbol.asyncDispose](): Promise<void>
}

const MANY = '100000000'
const READY_MS = 60_000

/** The product's API with token, tenancy and row-level security. */
export async function openApi({ appUrl, ring }: Pick<Dataset, 'appUrl' | 'ring'>): Promise<ListServer> {
  const [port = 0, metrics = 0] = await quietPorts(2)
  const child = openChild(process.execPath, scriptArguments('bench/reads/api-process.ts'), { name: 'the API' })
  const url = `http://127.0.0.1:${port}`
  try {
    const env = {
      DATABASE_URL: appUrl,
      // Lists start no workflow.
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      RECOUP_ENCRYPTION_KEYS: ring,
      RECOUP_API_PORT: String(port),
      RECOUP_API_METRICS_PORT: String(metrics),
      RECOUP_RATE_LIMIT_PER_MINUTE: MANY,
      RECOUP_ACCOUNT_LIMIT_PER_MINUTE: MANY,
      RECOUP_STRANGER_LIMIT_PER_MINUTE: MANY,
    }
    await child.ask({ env })
    await untilReady(`${url}/health`)
  } catch (error) {
    await child[Symbol.asyncDispose]()
    throw error
  }
  return {
    ...{ name: 'Recoup', pid: child.pid, url },
    path: () => `/v1/chargebacks?limit=${PAGE}&status=${LISTED_STATUS}`,
    headers: ({ token }) => ({ authorization: `Bearer ${token}` }),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

/** node:http and pg with the same query, without authentication or tenancy. */
export async function openBareServer({ url: databaseUrl }: Pick<Dataset, 'url'>): Promise<ListServer> {
  const script = scriptArguments('bench/baselines/bare-server/server.ts')
  const child = openChild(process.execPath, script, { name: 'the bare server' })
  const url = await child.ask<string>({ databaseUrl })
  return {
    ...{ name: 'bare node:http + pg', pid: child.pid, url },
    path: ({ merchantUuid }) => `/chargebacks?limit=${PAGE}&status=${LISTED_STATUS}&merchant=${merchantUuid}`,
    headers: () => ({}),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

async function untilReady(url: string): Promise<void> {
  for (const end = Date.now() + READY_MS; ; ) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    if (Date.now() > end) throw new Error('the API did not become ready')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
