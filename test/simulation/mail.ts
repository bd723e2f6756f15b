import type { AdapterDefinition, RawObject } from '../../adapters/contract.ts'
import type { EventRecord } from '../../simulators/engine/contract.ts'
import { deliver } from '../../simulators/engine/deliver.ts'
import type { DisputeEngine } from '../../simulators/engine/engine.ts'

/** When notifications come: before the call that caused them is answered, a moment later, or not for now. */
export type Pace = 'at once' | 'soon' | 'late'
/** How what has waited comes. PSPs deliver side by side, and again when our answer was lost. */
export type Arrival = 'as sent' | 'newest first' | 'newest only' | 'twice'

/** The notifications of a PSP that has nothing else to be read: each is an event of it, and has arrived or waits. */
export interface Mail {
  pace: Pace
  /** Everything that waits, or the newest of it. @returns how many came */
  arrive(how: Arrival): Promise<number>
  /** The newest about a dispute: before the others, or once more. @returns the HTTP status it was answered with */
  newest(reference: string): Promise<string>
  /** Whom to tell what the notifications about a dispute say together by now; before the service can know it. */
  tell: (reference: string, truth: string) => void
}

export function createMail(
  engine: DisputeEngine,
  definition: AdapterDefinition,
  url: string,
  /** Until the database knows what time it is: whoever receives lets some pass. */
  settled: () => Promise<void>,
): Mail {
  const arrived = new Set<string>()
  const items = new Map<string, string[]>()
  const account = engine.profile.homeAccount
  /** Of now: silence has its effect whether or not anybody asks. */
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
    if (status !== 200) throw new Error(`a notification was answered ${status}`)
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
      return event ? send(event) : 'nothing was ever told of it'
    },
    tell() {},
  }
  return mail
}

/** All that came about a dispute, as if it were an object of the PSP's. */
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

/** Status and stage of an object of the PSP's in the service's words; null when it is no dispute. */
export function stateIn(definition: AdapterDefinition, raw: RawObject): string | null {
  const translated = definition.toChargeback(raw)
  if (translated.kind !== 'chargeback') return null
  return `${translated.facts.pspStatus}/${translated.facts.lifecycleStage}`
}
