import { scriptArguments } from '../local/run-script.ts'
import { type OtherSide, openOtherSide } from './psp/other-side.ts'
import { appRole } from './runner/app-role.ts'
import { openChild } from './runner/child.ts'
import type { Benchmark } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'
import { percentile } from './runner/metric.ts'
import { openService } from './service/service.ts'
import { type Acceptable, accept, addSmallMerchants, applied, placeOf } from './service/small-merchants.ts'

/** Disputes of a merchant; about a sixth of them can be accepted. */
const DISPUTES = { full: 100, quick: 40 }
/** Requests that wait for the API at once. */
const CLIENTS = 16

interface Wave {
  perSecond: number
  /** From the API's response to the effect at the PSP, ms. */
  p50: number
  p99: number
}

export const durable: Benchmark = {
  name: 'durable',
  about: 'acceptances as workflows, next to the same steps as plain functions over an outbox in Postgres',
  async run(context) {
    const acceptances = context.size(100, 20)
    const disputes = DISPUTES[context.quick ? 'quick' : 'full']
    await using otherSide = await openOtherSide()
    const { url: serverUrl, pid: postmaster } = otherSide.postgres
    await using _role = appRole(serverUrl)
    await using databases = await openDatabases(serverUrl)
    // All of them can accept from the same disputes: each side has accounts of its own.
    const pspUrl = await otherSide.bulk({ count: disputes })
    await using service = await openService(otherSide, databases, { pspUrl })
    const merchants = await addSmallMerchants(service, disputes)
    await using outbox = openChild(process.execPath, scriptArguments('bench/baselines/outbox/server.ts'), {
      name: 'the outbox',
    })
    const outboxUrl = await outbox.ask<string>({ databaseUrl: await databases.create(), pspUrl })
    context.fact({ acceptances, analyzed: false, postgres: await databases.describe() })

    const ours = () => wave(otherSide, merchants.take(acceptances), (one) => accept(service, merchants, one))
    let plain = 0
    const theirs = () => {
      plain++
      const own = merchants
        .peek(acceptances)
        .map((one) => ({ ...one, account: `acct_plain${plain}x${one.account.slice(5)}` }))
      return wave(otherSide, own, async (one) => {
        const path = placeOf(one).split(' ').toReversed().join('/')
        const response = await fetch(`${outboxUrl}/${plain}-${one.id}/${path}`)
        if (!response.ok) throw new Error(`the outbox refused an acceptance: ${response.status}`)
        return Date.now()
      })
    }
    const { rounds, loudPairs } = await context.pairsOf({ ours, outbox: theirs }, postmaster)
    const line = (figure: keyof Wave, name: string, unit: string) =>
      context.metric(
        {
          ...{ name: `durable.${name}`, unit, clock: 'wall', ours: rounds.map((round) => round.ours[figure]) },
          anchor: { name: 'plain functions over an outbox', values: rounds.map(({ outbox: one }) => one[figure]) },
        },
        loudPairs,
      )
    line('perSecond', 'rate', 'acceptances/s')
    line('p50', 'p50', 'ms')
    line('p99', 'p99', 'ms')
  },
}

/** All of these at once, by a few clients. */
async function wave(
  otherSide: OtherSide,
  wanted: readonly Acceptable[],
  acceptOne: (one: Acceptable) => Promise<number>,
): Promise<Wave> {
  const responded = new Map<string, number>()
  const waiting = [...wanted]
  const began = Date.now()
  const client = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) responded.set(placeOf(one), await acceptOne(one))
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const times = await applied(otherSide.closings, wanted)
  // An effect may come before the response is read.
  const waits = wanted.map((one) => {
    const place = placeOf(one)
    return Math.max(0, (times.get(place) ?? Number.NaN) - (responded.get(place) ?? Number.NaN))
  })
  const seconds = (Math.max(...times.values()) - began) / 1000
  return { perSecond: wanted.length / seconds, p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) }
}
