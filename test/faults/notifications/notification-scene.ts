import type { DisputeRecord } from '../../../simulators/engine/contract.ts'
import type { Connected } from '../ground/connected.ts'
import { eventsOf } from '../ground/deliveries.ts'
import type { Ground } from '../ground/prepare.ts'
import type { AdapterName } from '../ground/psps.ts'

/** An account at a PSP with open disputes, and our integration that it tells of them. */
export interface Scene {
  ground: Ground
  connected: Connected
  disputes: DisputeRecord[]
  reduced: boolean
  /** Lets its first poll go on. */
  go?(): Promise<void>
}

export interface NotificationCase {
  title: string
  /** Disputes of the account when it is connected. */
  count: number
  missing?(adapter: AdapterName): string | null
  /** Before the first poll is over; else the case begins after it. */
  early?: true
  /** @returns sentences about what went wrong on the way */
  run(scene: Scene): Promise<string[]>
}

/** @returns a sentence unless it is as it has to be */
export const expected = (what: string, seen: unknown, wanted: unknown) =>
  JSON.stringify(seen) === JSON.stringify(wanted)
    ? []
    : [`I4: ${what}: ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`]

/** The PSP decides a dispute, and tells of it. */
export function decide({ ground, connected }: Scene, record: DisputeRecord, outcome: 'won' | 'lost'): void {
  const engine = ground.engines[connected.adapter]
  engine.change(record, (dispute) => void engine.profile.decide(dispute, outcome, engine.now()))
}

/** The last that the PSP told of it. */
export const lastOf = ({ ground, connected }: Scene, record: DisputeRecord) =>
  eventsOf(ground, connected, [record.reference]).slice(-1)
