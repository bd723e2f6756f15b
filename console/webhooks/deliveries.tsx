import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { useRead } from '../api/use-read.ts'
import { navigate } from '../app/navigation.ts'
import { type ScreenProps, withQuery } from '../app/router.ts'
import { mayManage, useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Problem } from '../parts/form.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useAct } from '../parts/use-act.ts'
import { useRepeat } from '../parts/use-repeat.ts'
import { type Delivery, type Endpoint, EVERY_MS, readAgain, WEBHOOKS } from './data.ts'
import { DeliveryTable } from './delivery-table.tsx'

const STATES = ['', 'pending', 'delivered', 'failed', 'cancelled'] as const
type State = Exclude<(typeof STATES)[number], ''>

/** What was sent, newest first, and sending some of it again. */
export function Deliveries({ endpoint, query }: { endpoint: Endpoint; query: ScreenProps['query'] }) {
  const { me, merchant, away } = useWho()
  const { act, busy, problem } = useAct()
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  const { id } = endpoint
  const state = STATES.find((one) => one !== '' && one === query.get('state')) as State | undefined
  const before = query.get('before') ?? undefined
  const read = useRead('listWebhookDeliveries', {
    params: { id },
    merchant,
    query: { limit: 25, state, cursor: before },
  })
  const { data, failure } = read
  const soon = data?.data.some((one) => isSoon(one)) ?? false
  useRepeat('listWebhookDeliveries ', true, soon ? 2_000 : EVERY_MS)
  function go(change: Record<string, string | undefined>) {
    // Nothing is sent again that the person doesn't see.
    select(new Set())
    navigate(`${WEBHOOKS}/${id}${withQuery(query, { before: undefined, ...change })}`)
  }

  async function sendAgain() {
    const deliveryIds = [...selected]
    await act({
      about: deliveryIds,
      run: async (key) => {
        const { count } = await call('replayWebhooks', { params: { id }, body: { deliveryIds }, key, merchant })
        announce(count === 1 ? 'One event is sent again' : `${count} events are sent again`)
        select(new Set())
        await readAgain()
      },
    })
  }

  return (
    <section aria-labelledby="deliveries" class="deliveries">
      <div class="title">
        <h2 id="deliveries">Deliveries of the last 30 days</h2>
        <label>
          State{' '}
          <select value={state ?? ''} onChange={(event) => go({ state: event.currentTarget.value })}>
            {STATES.map((one) => (
              <option key={one} value={one}>
                {one === '' ? 'all' : one}
              </option>
            ))}
          </select>
        </label>
      </div>
      {failure && <Failed failure={failure} again={read.again} />}
      {!data && !failure && <Loading rows={4} />}
      {data?.data.length === 0 && (
        <Empty>
          {state ? `No delivery is ${state}.` : 'Nothing was sent yet. Send a test to see what your receiver gets.'}
        </Empty>
      )}
      {data && data.data.length > 0 && (
        <>
          {mayManage(me) && selected.size > 0 && (
            <div class="buttons start">
              <span>{selected.size} selected</span>
              <button type="button" aria-disabled={busy || away} onClick={() => !busy && !away && sendAgain()}>
                Send again
              </button>
            </div>
          )}
          <Problem text={problem} />
          <DeliveryTable
            deliveries={data.data}
            selected={selected}
            onSelect={mayManage(me) && endpoint.state !== 'disabled' ? select : undefined}
          />
          <div class="buttons">
            {before && (
              <button type="button" onClick={() => go({})}>
                Newest
              </button>
            )}
            {data.nextCursor !== undefined && (
              <button type="button" onClick={() => go({ before: data.nextCursor })}>
                Earlier ones
              </button>
            )}
          </div>
        </>
      )}
    </section>
  )
}

/** Waits, and is tried within the next minute. */
const isSoon = ({ state, nextAttemptAt }: Delivery) =>
  state === 'pending' && Date.parse(nextAttemptAt ?? '') < Date.now() + 60_000
