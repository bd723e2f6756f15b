import { setTimeout as pause } from 'node:timers/promises'
import { deliver } from '../../../simulators/engine/deliver.ts'
import { secretsTrue } from '../invariants/one-secret.ts'
import type { Connected } from '../testbed/connected.ts'
import type { FaultAction } from '../testbed/fault-action.ts'
import type { Testbed } from '../testbed/prepare.ts'
import type { AdapterName } from '../testbed/psps.ts'
import type { Secret } from './keys.ts'
import { askAs, ownParty } from './strangers.ts'

/** Time for the new keys to be checked before held work is released. */
const HELD_MS = 5_000
const TIMEOUT_MS = 90_000

/**
 * Rotates the key of every integration while work is held. At random, the PSP accepts the old key for ever, revokes it
 * before the work continues, or shortly afterwards.
 */
export const replaceKeys: FaultAction = async (testbed, { release, about, chance }) => {
  const wrong: { adapter: AdapterName; sentence: string }[] = []
  const moment = (['never', 'early', 'late'] as const)[Math.floor(chance() * 3)]
  const replacing = Promise.all(
    about.map(async (connected) => {
      const before = testbed.keys.of(connected)
      const sentences = await replaceKey(testbed, connected, testbed.keys.issue(connected))
      for (const sentence of sentences) wrong.push({ adapter: connected.adapter, sentence })
      if (moment === 'early') testbed.keys.revoke(connected, before)
      return before
    }),
  )
  await Promise.race([replacing, pause(HELD_MS)])
  await release()
  const replaced = await replacing
  if (moment === 'late')
    for (const [index, connected] of about.entries()) testbed.keys.revoke(connected, replaced[index] as Secret)
  return async () => {
    for (const connected of about)
      for (const sentence of await secretsTrue(testbed, connected)) wrong.push({ adapter: connected.adapter, sentence })
    return wrong
  }
}

/** Repeats the request until a definite response, as a client does. Then both secrets may sign deliveries. */
export async function replaceKey(testbed: Testbed, connected: Connected, next: Secret): Promise<string[]> {
  const { keys } = testbed
  const before = keys.of(connected)
  const change = { secretPayload: next.payload }
  const wrong: string[] = []
  for (const end = Date.now() + TIMEOUT_MS; ; await pause(200)) {
    const { status, text, body } = await askAs(testbed, ownParty(testbed), [
      'PATCH',
      `/integrations/${connected.integrationId}`,
      change,
    ])
    for (const secret of [before, next])
      if (text.includes(secret.key) || text.includes(secret.signing)) wrong.push('I12: a response contains a secret')
    if (status === 200) break
    const open = status === null || status >= 500 || status === 409
    if (open && Date.now() < end) continue
    return [...wrong, `I3: the key was not replaced: ${status} ${body?.code}: ${body?.message}`]
  }
  keys.replaced(connected, next)
  for (const [name, { signing }] of Object.entries({ old: before, new: next })) {
    const status = await deliverSigned(testbed, connected, signing)
    if (status !== 200) wrong.push(`a delivery signed with the ${name} secret got ${status}`)
  }
  return wrong
}

/**
 * Delivers the account's newest event, signed with that secret, and repeats it until there is a response, as a PSP
 * does.
 * @returns the status; null = no response
 */
async function deliverSigned(
  { stack, engines }: Testbed,
  { adapter, account, integrationId }: Connected,
  signing: string,
): Promise<number | null> {
  const engine = engines[adapter]
  const [event] = engine.account(account).events.page({ limit: 1, matches: undefined }).items
  if (!event) throw new Error(`${adapter} has no event of ${account}`)
  for (const end = Date.now() + TIMEOUT_MS; ; await pause(200)) {
    const url = `${stack.apis.at(-1)?.url}/v1/notifications/${integrationId}`
    const made = engine.profile.notification(engine, event, signing, Math.floor(Date.now() / 1000))
    const { status } = await deliver(url, { event, ...made })
    if ((status !== null && status < 500) || Date.now() > end) return status
  }
}
