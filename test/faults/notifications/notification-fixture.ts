import type { DisputeRecord } from '../../../simulators/engine/contract.ts'
import type { Connected } from '../testbed/connected.ts'
import { eventsOf } from '../testbed/deliveries.ts'
import type { Testbed } from '../testbed/prepare.ts'
import type { AdapterName } from '../testbed/psps.ts'

/** An account at a PSP with open disputes, and the integration that it notifies. */
export interface Fixture {
  testbed: Testbed
  connected: Connected
  disputes: DisputeRecord[]
  reduced: boolean
  /** Releases its first poll. */
  go?(): Promise<void>
}

export interface NotificationCase {
  title: string
  /** Disputes of the account when it is connected. */
  count: number
  missing?(adapter: AdapterName): string | null
  /** Runs before the end of the first poll; other cases run after it. */
  early?: true
  /** @returns violations */
  run(fixture: Fixture): Promise<string[]>
}

/** @returns a violation if the values differ */
export const expected = (what: string, seen: unknown, wanted: unknown) =>
  JSON.stringify(seen) === JSON.stringify(wanted)
    ? []
    : [`I4: ${what}: ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`]

/** The PSP decides a dispute, which adds an event. */
export function decide({ testbed, connected }: Fixture, record: DisputeRecord, outcome: 'won' | 'lost'): void {
  const engine = testbed.engines[connected.adapter]
  engine.change(record, (dispute) => void engine.profile.decide(dispute, outcome, engine.now()))
}

/** The PSP's last event about it. */
export const lastOf = ({ testbed, connected }: Fixture, record: DisputeRecord) =>
  eventsOf(testbed, connected, [record.reference]).slice(-1)
