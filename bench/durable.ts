import { scriptArguments } from '../local/run-script.ts'
import { openOtherSide } from './psp/other-side.ts'
import { appRole } from './runner/app-role.ts'
import { openChild } from './runner/child.ts'
import type { Context } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'
import { openService } from './service/service.ts'
import { accept, addSmallMerchants, placeOf } from './service/small-merchants.ts'
import { type Wave, wave } from './service/wave.ts'

/** Disputes of a merchant; about a sixth of them can be accepted. */
const DISPUTES = { full: 100, quick: 40 }
export async function run(context: Context): Promise<void> {
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
}
