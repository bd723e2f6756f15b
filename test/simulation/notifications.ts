import type { AdapterDefinition, RawObject } from '../../adapters/contract.ts'
import type { EventRecord } from '../../simulators/engine/contract.ts'
import { deliver } from '../../simulators/engine/deliver.ts'
import type { DisputeEngine } from '../../simulators/engine/engine.ts'

/** When notifications arrive: before the response to the call that caused them, a moment later, or not yet. */
export type Pace = 'at once' | 'soon' | 'late'
/** How waiting notifications arrive. PSPs deliver concurrently, and again if our response was lost. */
export type Arrival = 'as sent' | 'newest first' | 'newest only' | 'twice'

/** The notifications of a PSP that can't be read: each is one of its events, and has arrived or waits. */
export interface Mail {
  pace: Pace
  /** Delivers everything that waits, or the newest of it. @returns how many arrived */
  arrive(how: Arrival): Promise<number>
  /** Delivers the newest about a dispute, before the others or again. @returns the HTTP status */
  newest(reference: string): Promise<string>
  /** Called with the state of a dispute by all its notifications so far, before the service knows it. */
  tell: (reference: string, truth: string) => void
}

export function createMail(
  engine: DisputeEngine,
  definition: AdapterDefinition,
  url: string,
  /** Resolves when the database has the current time, because the receiver lets time pass. */
  settled: () => Promise<void>,
): Mail {
  const arrived = new Set<string>()
  const items = new Map<string, string[]>()
  const account = engine.profile.homeAccount
  /** Events until now: due dates take effect even if nothing reads the dispute. */
  function events(): EventRecord[] {
    engine.applyDue()
    return engine
      .account(account)
      .events.all()
      .toSorted((a, b) => a.sequence - b.sequence)
  }

  async function send(event: EventRecord): Promise<string> {
    const { profile } = engine
    const signedAt = Math.floor(Date.now() / 1000)
    const notification = profile.notification(engine, event, profile.notificationSecret, signedAt)
    if (!arrived.has(event.id)) remember(event, notification.body)
    arrived.add(event.id)
    const { status } = await deliver(url, { event, ...notification })
    await settled()
    if (status !== 200) throw new Error(`a notification got ${status}`)
    return String(status)
  }

  function remember({ reference }: EventRecord, body: string): void {
    const known = [...(items.get(reference) ?? []), body]
    items.set(reference, known)
    const truth = stateIn(definition, { reference, text: disputeOf(account, reference, known) })
    if (truth !== null) mail.tell(reference, truth)
  }

  const mail: Mail = {
    pace: 'soon',
    async arrive(how) {
      const waiting = events().filter(({ id }) => !arrived.has(id))
      const order = how === 'as sent' || how === 'twice' ? waiting : waiting.toReversed()
      const coming = how === 'newest only' ? order.slice(0, 1) : order
      for (const event of how === 'twice' ? [...coming, ...coming] : coming) await send(event)
      return coming.length
    },
    async newest(reference) {
      const event = events().findLast((one) => one.reference === reference)
      return event ? send(event) : 'there is no notification about it'
    },
    tell() {},
  }
  return mail
}

/** All notifications about a dispute, as if they were one object of the PSP. */
function disputeOf(merchantAccount: string, disputePspReference: string, bodies: readonly string[]): string {
  const items = bodies.flatMap((body) => {
    const { notificationItems } = JSON.parse(body) as { notificationItems: { NotificationRequestItem: Item }[] }
    return notificationItems.map((one) => one.NotificationRequestItem)
  })
  const about = items.filter((item) => item.pspReference === disputePspReference)
  return JSON.stringify({ merchantAccount, disputePspReference, items: about })
}

interface Item {
  pspReference: string
}

/** Status and stage of a PSP's object in the service's terms; null if it is no dispute. */
export function stateIn(definition: AdapterDefinition, raw: RawObject): string | null {
  const translated = definition.toChargeback(raw)
  if (translated.kind !== 'chargeback') return null
  return `${translated.facts.pspStatus}/${translated.facts.lifecycleStage}`
}
