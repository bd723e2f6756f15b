import { setTimeout as pause } from 'node:timers/promises'
import { footprintAtWork, left } from '../batches.ts'
import { chanceOf } from '../cells.ts'
import { backTo } from '../invariants/baseline.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { answerOf } from '../responses.ts'
import { type Watch, watchCommands } from '../testbed/clients.ts'
import { startTestbed, type Testbed } from '../testbed/prepare.ts'
import { connectAll, firstPolled } from './accounts.ts'
import { atRest } from './at-rest.ts'
import { injectFaults, injectPspFaults, sumOf } from './injectors.ts'
import { beginLives, type Life } from './lives.ts'
import { percentAnHour, weigh } from './memory-slope.ts'
import { brokenSoFar } from './so-far.ts'

/**
 * Starting a process every ten seconds leaves little CPU time on two cores: with shorter timeouts slow work would be
 * retried, and be slower still.
 */
const PACE = { RECOUP_POLL_INTERVAL_SECONDS: '30', RECOUP_COMMAND_TIMEOUT_MS: '15000', RECOUP_HEARTBEAT_MS: '10000' }
const CHECK_MS = 30_000
/** ms between two list requests of a client. */
const LIST_MS = 500
/** Maximum percent an hour, if the run lasts at least `JUDGED_MINUTES`. */
const SLOPE = 1
const JUDGED_MINUTES = 60

/**
 * Everything at once, for the given time: fifty integrations are polled and notified of changes, disputes are created,
 * accepted, contested and decided, lists are read, one request in twenty at the PSPs fails, and a fault is injected
 * every ten seconds. Another API and another worker run without faults: their memory is measured.
 */
export async function soak({ minutes = 60, print }: SuiteOptions): Promise<SuiteOutcome[]> {
  await using testbed = await startTestbed({
    disputes: { stripe: 1, paypal: 1, braintree: 1, adyen: 1, recoup_sandbox: 1 },
    env: PACE,
  })
  const before = await footprintAtWork(testbed)
  const [api, worker] = await Promise.all([testbed.stack.startApi(), testbed.stack.startWorker()])
  const watch = watchCommands(testbed, 1_000)
  const connecting = Date.now()
  const accounts = await connectAll(testbed)
  const faulty = injectPspFaults(testbed, chanceOf(1, 'answers'))
  const faults = injectFaults(testbed, chanceOf(1, 'strikes'))
  const found = new Set(await firstPolled(testbed, accounts))
  print?.(`  ${accounts.length} integrations connected and read, ${Math.round((Date.now() - connecting) / 1_000)} s`)
  const scales = weigh({ api: api.pid, worker: worker.pid })
  const lives = beginLives(testbed, accounts, chanceOf(1, 'lives'))
  const lists = readLists(testbed, api.url)
  const check = () => {
    for (const sentence of [...soFar(testbed, lives.all, watch), ...lives.sentences, ...lists.sentences])
      if (!found.has(sentence)) {
        found.add(sentence)
        print?.(`    BROKEN  ${sentence}`)
      }
  }
  const began = Date.now()
  for (const end = began + minutes * 60_000; Date.now() < end; ) {
    await pause(Math.min(CHECK_MS, end - Date.now()))
    check()
    const ended = lives.all.filter((one) => one.ended).length
    const { api: apiMegabytes, worker: workerMegabytes } = scales.now()
    print?.(
      `  ${((Date.now() - began) / 60_000).toFixed(1)} min: ${lives.all.length} commands, ${ended} ended; ${sumOf(faults)} faults, ${sumOf(faulty)} faulty responses, ${lists.read()} lists read; api ${apiMegabytes} MB, worker ${workerMegabytes} MB; ${found.size} broken`,
    )
  }
  const samples = scales.stop()
  await faults.end()
  await faulty.end()
  await Promise.all([lives.end(), lists.end()])
  check()
  const counts = [...faults.counts, ...faulty.counts].map(([key, count]) => `${key} ${count}`).join(', ')
  const commands = [`${lives.all.length} commands in ${minutes} min; ${counts}`]
  const { broken, figures: sizes } = await backTo(before, testbed)
  const outcomes = [
    outcome('meanwhile', 'no check finds a violated invariant of a command, nothing gets stuck', [...found], commands),
    ...(await atRest(testbed, accounts, lives.all, watch)),
    outcome('I14', 'descriptors and open workflow runs are back at their baseline', broken, sizes),
    memory(samples, minutes),
  ]
  for (const { name, result, why } of outcomes) print?.(`  ${name} ${result}: ${why.join('; ')}`)
  return [...outcomes, ...(await left(testbed, print))]
}

const outcome = (name: string, title: string, broken: string[], otherwise: string[] = []): SuiteOutcome => ({
  ...{ name, title, result: broken.length > 0 ? 'failed' : 'passed', why: [...broken, ...otherwise] },
})

function soFar({ engines }: Testbed, lives: readonly Life[], { seen }: Watch): string[] {
  return brokenSoFar(
    new Map(lives.map(({ dispute, command }) => [dispute.reference, command])),
    Object.values(engines).flatMap(({ ledger }) => [...ledger.effects]),
    [...seen].map(([commandId, states]) => [commandId, states.map(({ status }) => status)] as const),
  )
}

/** A client of the API without faults. It may get a 503 while a server is down, but no other failure. */
function readLists(testbed: Testbed, url: string) {
  const sentences: string[] = []
  let read = 0
  let over = false
  const reading = (async () => {
    for (; !over; await pause(LIST_MS)) {
      const { status, clean } = await answerOf(testbed.stack, '/chargebacks?limit=100', {}, url)
      if (!clean) sentences.push(`a list request got ${status ?? 'no response'}`)
      if (status === 200) read += 1
    }
  })()
  return {
    sentences,
    read: () => read,
    async end() {
      over = true
      await reading
    },
  }
}

function memory(samples: ReturnType<ReturnType<typeof weigh>['stop']>, minutes: number): SuiteOutcome {
  const slopes = Object.entries(samples).map(([name, some]) => ({ name, slope: percentAnHour(some) }))
  const text = slopes.map(({ name, slope }) => `${name} ${slope.toFixed(1)} % an hour`).join(', ')
  const title = `memory of processes without faults grows by at most ${SLOPE} % an hour`
  if (minutes < JUDGED_MINUTES)
    return { name: 'memory', title, result: 'skipped', why: [`${minutes} min are too short: ${text}`] }
  return outcome('memory', title, slopes.some(({ slope }) => slope > SLOPE) ? [text] : [], [text])
}
