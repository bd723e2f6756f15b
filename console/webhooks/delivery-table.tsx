import { Ago } from '../parts/ago.tsx'
import { Sign } from '../parts/sign.tsx'
import { When } from '../parts/when.tsx'
import { type Delivery, deliverySignOf, resultOf } from './data.ts'

interface DeliveryTableProps {
  deliveries: readonly Delivery[]
  selected: ReadonlySet<string>
  /** Absent: nothing can be selected. */
  onSelect: ((selected: ReadonlySet<string>) => void) | undefined
}

export function DeliveryTable({ deliveries, selected, onSelect }: DeliveryTableProps) {
  const toggle = (id: string) => {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    onSelect?.(next)
  }
  return (
    <table class="cards">
      <thead>
        <tr>
          {onSelect && (
            <th scope="col">
              <span class="visually-hidden">Selected</span>
            </th>
          )}
          <th scope="col">Event</th>
          <th scope="col">State</th>
          <th scope="col">Made</th>
          <th scope="col">Attempts</th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.deliveryId}>
            {onSelect && (
              <td>
                <input
                  type="checkbox"
                  aria-label={`Select ${delivery.type} ${delivery.deliveryId}`}
                  checked={selected.has(delivery.deliveryId)}
                  onChange={() => toggle(delivery.deliveryId)}
                />
              </td>
            )}
            <td>
              {delivery.type}
              {delivery.replayed && <span class="muted"> · again</span>}
              <br />
              <code class="muted">{delivery.eventId}</code>
            </td>
            <td>
              <State delivery={delivery} />
            </td>
            <td>
              <When at={delivery.createdAt} short />
            </td>
            <td>
              <Attempts delivery={delivery} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function State({ delivery }: { delivery: Delivery }) {
  return (
    <Sign class="status" sign={deliverySignOf(delivery)}>
      {delivery.state}
    </Sign>
  )
}

/** The last attempt; the others behind it. */
function Attempts({ delivery: { attempts, state, nextAttemptAt } }: { delivery: Delivery }) {
  const last = attempts.at(-1)
  if (!last) return <span class="muted">{state === 'pending' ? 'not sent yet' : 'none'}</span>
  return (
    <>
      {resultOf(last)} <span class="muted">after {last.durationMs} ms</span>
      {state === 'pending' && nextAttemptAt && (
        <p class="muted">
          next <When at={nextAttemptAt} short />
        </p>
      )}
      {attempts.length > 1 && (
        <details>
          <summary>{attempts.length} attempts</summary>
          <ol class="plain-list">
            {attempts.map((one) => (
              <li key={one.at}>
                <Ago at={one.at} />: {resultOf(one)} <span class="muted">after {one.durationMs} ms</span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  )
}
