import { Refusal } from '../../db/core/refusal.ts'
import type { Source } from '../../domain/integration.ts'
import { type CommandContext, UsageError } from '../command.ts'

const TIME_LIMIT_MS = 10_000

/** A dispute at a simulated PSP. */
export interface SimulatedDispute {
  /** The PSP's id. */
  ref: string
  account: string
}

/** The control interface of one simulated PSP. */
export interface Simulator {
  /** The account that the demo is connected to. */
  homeAccount: string
  create(order: { account: string; status: string; dueInHours?: number }): Promise<SimulatedDispute>
  /** The bank decides. */
  decide(dispute: SimulatedDispute, outcome: 'won' | 'lost' | 'split' | 'reopened'): Promise<void>
  moveDueDate(dispute: SimulatedDispute, dueInHours: number): Promise<void>
}

/**
 * The simulated PSP: of `--control`, or of the `npm start` in this folder.
 * @throws Refusal when the PSP is a real one, UsageError when its address is unknown
 */
export async function openSimulator(context: CommandContext, source: Source): Promise<Simulator> {
  if (context.environment === 'production')
    throw new Refusal('invalid', 'not_simulated', 'PSPs are real in production: nothing can be triggered there.')
  const url = controlUrl(context, source)
  const { homeAccount } = await call<{ homeAccount: string }>(url, 'GET')
  const path = ({ ref }: SimulatedDispute, then = '') => `${url}/disputes/${encodeURIComponent(ref)}${then}`
  const of = ({ account }: SimulatedDispute) => `?account=${encodeURIComponent(account)}`
  return {
    homeAccount,
    async create(order) {
      const { disputes } = await call<{ disputes: SimulatedDispute[] }>(`${url}/disputes`, 'POST', order)
      return disputes[0] as SimulatedDispute
    },
    decide: (dispute, outcome) => call(`${path(dispute, '/decide')}${of(dispute)}`, 'POST', { outcome }),
    moveDueDate: (dispute, dueInHours) => call(`${path(dispute)}${of(dispute)}`, 'PATCH', { dueInHours }),
  }
}

function controlUrl({ given, simulators }: CommandContext, source: Source): string {
  if (given.control !== undefined) {
    if (!/^https?:/.test(given.control) || !URL.canParse(given.control))
      throw new UsageError(`--control must be an address such as http://127.0.0.1:12110, not "${given.control}"`)
    return `${given.control.replace(/\/+$/, '')}/${source}`
  }
  if (simulators === null)
    throw new UsageError('this folder has no running `npm start`. Give the address of the simulated PSPs by --control')
  const url = simulators[source]
  if (url === undefined)
    throw new Refusal(
      'invalid',
      'not_simulated',
      `${source} is a real PSP here: nothing can be triggered at it. Use its own test cards and dashboard.`,
    )
  return url
}

/** @throws Refusal with the simulator's own words */
async function call<T>(url: string, method: string, body?: object): Promise<T> {
  const init = { method, ...(body && { body: JSON.stringify(body) }), signal: AbortSignal.timeout(TIME_LIMIT_MS) }
  const response = await fetch(url, init).catch(() => null)
  if (!response)
    throw new Refusal('invalid', 'simulator_unreachable', `No simulated PSP responds at ${new URL(url).origin}.`)
  const read = (await response.json().catch(() => ({}))) as T & { error?: string }
  if (!response.ok)
    throw new Refusal('invalid', 'simulator_refused', `The simulated PSP refused: ${read.error ?? response.status}.`)
  return read
}
