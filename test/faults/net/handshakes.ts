import { startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { ADAPTERS, type AdapterName, simulated } from '../testbed/psps.ts'
import { type Certificates, makeCertificates } from './certificates.ts'
import { openFaultProxy } from './fault-proxy.ts'
import {
  askAgain,
  connectListed,
  END_MS,
  LISTS,
  type Listed,
  missing,
  NEW,
  orderDisputes,
  stillRunning,
  untilQuiet,
} from './listing.ts'

interface Handshake {
  title: string
  certificate: 'selfSigned' | 'unknownAuthority' | 'otherHost' | 'expired'
  /** What an operator reads about it. */
  logged: RegExp
}

const UNTRUSTED = /certificate .* authority that is not trusted/
const HANDSHAKES: Readonly<Record<string, Handshake>> = {
  tls_self_signed: { title: 'TLS: a self-signed certificate', certificate: 'selfSigned', logged: UNTRUSTED },
  tls_unknown: {
    title: 'TLS: a certificate of an unknown authority',
    certificate: 'unknownAuthority',
    logged: UNTRUSTED,
  },
  tls_other_host: {
    title: 'TLS: another host’s certificate',
    certificate: 'otherHost',
    logged: /certificate .* another host/,
  },
  tls_expired: { title: 'TLS: an expired certificate', certificate: 'expired', logged: /certificate .* has expired/ },
}

/**
 * PSPs over HTTPS that show an invalid certificate for a while. Nothing may be sent over such a connection, not even a
 * credential; operators read why; with a valid certificate everything continues by itself.
 */
export async function breakHandshakes({ adapters = ADAPTERS, cell, print }: SuiteOptions): Promise<SuiteOutcome[]> {
  const cells = Object.entries(HANDSHAKES).flatMap(([key, handshake]) =>
    adapters.map((adapter) => ({ name: `psp:${key}:${adapter}`, adapter, handshake })),
  )
  const wanted = cells.filter(({ name, adapter }) => (cell ? cell === name : LISTS[adapter]))
  const left = (why: string, some = cells) =>
    some.map(({ name, adapter, handshake: { title } }): SuiteOutcome => {
      return { name, title, place: { row: title, column: adapter }, result: 'skipped', why: [why] }
    })
  if (wanted.length === 0) return cell ? [] : left('it has no list of disputes: they come by notification')
  await using certificates = await makeCertificates()
  if (!certificates) return left('there is no openssl to make certificates with', wanted)
  const outcomes = cell
    ? []
    : left(
        'it has no list of disputes: they come by notification',
        cells.filter(({ adapter }) => !LISTS[adapter]),
      )
  await using psps = await openPsps(certificates, [...new Set(wanted.map(({ adapter }) => adapter))])
  const runAll = async (adapter: AdapterName) => {
    const listed = await psps.connect(adapter)
    for (const { name, handshake } of wanted.filter((one) => one.adapter === adapter)) {
      const began = Date.now()
      const why = await refuseHandshake(listed, certificates, handshake)
      print?.(`  ${name}: ${why.join('; ') || 'nothing was sent, every dispute is stored'}, ${Date.now() - began} ms`)
      const place = { row: handshake.title, column: adapter }
      outcomes.push({ name, title: handshake.title, place, result: why.length > 0 ? 'failed' : 'passed', why })
    }
  }
  await Promise.all(psps.adapters.map(runAll))
  return outcomes
}

async function refuseHandshake(listed: Listed, certificates: Certificates, { certificate, logged }: Handshake) {
  const { door, running, stack } = listed
  const busy = await untilQuiet(listed)
  if (busy) return [busy]
  const why: string[] = []
  door.show(certificates[certificate])
  const printed = stack.lines().length
  await orderDisputes(running, NEW)
  const asking = askAgain(listed)
  try {
    await until('an operator reads about the certificate', () => problemOf(listed), {
      holds: (problem) => logged.test(problem),
      timeoutMs: END_MS,
    })
    if (door.heard(certificates[certificate]) > 0) why.push('something was sent over an untrusted connection')
    door.show(certificates.right)
    await until('every dispute is stored', () => missing(listed), {
      holds: (references) => references.length === 0,
      timeoutMs: END_MS,
    })
    await until('the problem is over', () => problemOf(listed), {
      holds: (problem) => problem === '',
      timeoutMs: END_MS,
    })
  } catch (error) {
    why.push(`I1: ${(error as Error).message.slice(0, 300)}`)
  } finally {
    door.show(certificates.right)
    await asking.stop()
  }
  const lines = stack.lines().slice(printed)
  if (!lines.some((line) => logged.test(line))) why.push('the log does not mention the certificate')
  const { homeSecretPayload, secretPayload } = simulated(listed.adapter).definition
  const secrets = Object.values(homeSecretPayload ?? secretPayload).map(String)
  if (lines.some((line) => secrets.some((secret) => line.includes(secret)))) why.push('I12: the log contains a secret')
  return [...why, ...(await stillRunning(listed))]
}

/** The problem in the operator's list of integrations; empty if there is none. */
async function problemOf({ stack, integrationId }: Listed): Promise<string> {
  const row = await stack.db
    .selectFrom('integration')
    .select(['poll_error', 'status'])
    .where('integration_id', '=', integrationId)
    .executeTakeFirst()
  return row?.status === 'SUCCESSFUL' ? (row.poll_error ?? '') : `the integration is ${row?.status}`
}

/** The workers reach the PSPs by HTTPS, and trust the authority of the valid certificate. */
async function openPsps(certificates: Certificates, adapters: readonly AdapterName[]) {
  const doors = new Map(
    await Promise.all(adapters.map(async (adapter) => [adapter, await openFaultProxy(certificates.right)] as const)),
  )
  const others = adapters.filter((adapter) => adapter !== 'stripe').map((adapter) => simulated(adapter))
  const stack = await startStack({
    psps: Object.fromEntries(others.map(({ addressVariable, definition }) => [addressVariable, definition])),
    env: {
      NODE_EXTRA_CA_CERTS: certificates.authorityFile,
      ...Object.fromEntries([...doors].map(([adapter, { url }]) => [simulated(adapter).addressVariable, url])),
    },
  })
  return {
    adapters,
    async connect(adapter: AdapterName): Promise<Listed> {
      const door = doors.get(adapter)
      const running = adapter === 'stripe' ? stack.simulator : stack.others.get(adapter)
      if (!door || !running) throw new Error(`there is no simulator of ${adapter}`)
      door.target = running.url
      return connectListed(stack, adapter, running, door)
    },
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]()
      await Promise.all([...doors.values()].map((door) => door[Symbol.asyncDispose]()))
    },
  }
}
