import { useEffect, useState } from 'preact/hooks'
import { Empty, Loading } from '../parts/states.tsx'
import { QUEUE, type Route } from './router.ts'
import { useWho } from './who.ts'

const TITLES: Record<Route['screen'], string> = {
  queue: 'Queue',
  chargeback: 'Chargeback',
  'sign-in': 'Sign in',
  unknown: 'Not found',
}

type Queue = typeof import('../queue/screen.tsx')
type Case = typeof import('../chargeback/screen.tsx')

/** The screen of a route; the code of each is loaded when it is first shown. */
export function Screen({ route }: { route: Route }) {
  const { me } = useWho()
  const [queue, setQueue] = useState<Queue>()
  const [chargeback, setChargeback] = useState<Case>()
  const { screen } = route
  useEffect(() => {
    // No search terms and no persons: titles are in the browser's history.
    document.title = `${TITLES[screen]} · Recoup`
    if (screen === 'queue') void import('../queue/screen.tsx').then(setQueue)
    if (screen === 'chargeback') void import('../chargeback/screen.tsx').then(setChargeback)
  }, [screen])

  if (me.merchants.length === 0)
    return (
      <main>
        <h1>No merchant</h1>
        <Empty>This account has no merchant yet. Create one with POST /v1/merchants.</Empty>
      </main>
    )
  if (route.screen === 'queue') return queue ? <queue.Queue query={route.query} /> : <Waiting />
  if (route.screen === 'chargeback')
    return chargeback ? <chargeback.Chargeback id={route.id} query={route.query} /> : <Waiting />
  if (route.screen === 'sign-in') return <Waiting />
  return (
    <main>
      <h1>Nothing is here</h1>
      <Empty>
        The console has no page at this address. <a href={QUEUE}>Open the queue</a>
      </Empty>
    </main>
  )
}

const Waiting = () => (
  <main>
    <Loading />
  </main>
)
