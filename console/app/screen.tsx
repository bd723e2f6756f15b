import { useEffect, useState } from 'preact/hooks'
import { noAnswer } from '../api/failure.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { QUEUE, type Route, type ScreenRow } from './router.ts'
import { useWho } from './who.ts'

type Code = Awaited<ReturnType<ScreenRow['load']>>

/** The screen of a route; its code is loaded when it is first shown. */
export function Screen({ route: { screen, params, query } }: { route: Route }) {
  const { me } = useWho()
  const [loaded, setLoaded] = useState<{ screen: ScreenRow; code: Code }>()
  const [failed, setFailed] = useState(false)
  const load = () => {
    setFailed(false)
    if (typeof screen === 'string') return
    screen.load().then(
      (code) => setLoaded({ screen, code }),
      () => setFailed(true),
    )
  }
  useEffect(() => {
    // No search terms and no persons: titles are in the browser's history.
    const title = screen === 'unknown' ? 'Not found' : screen === 'sign-in' ? 'Sign in' : screen.title
    document.title = `${title} · Recoup`
    load()
  }, [screen])

  if (me.merchants.length === 0)
    return (
      <main>
        <h1>No merchant</h1>
        <Empty>This account has no merchant yet. Create one with POST /v1/merchants.</Empty>
      </main>
    )
  if (screen === 'unknown')
    return (
      <main>
        <h1>Nothing is here</h1>
        <Empty>
          The console has no page at this address. <a href={QUEUE}>Open the queue</a>
        </Empty>
      </main>
    )
  if (loaded && loaded.screen === screen)
    return <loaded.code.Screen key={Object.values(params).join('/')} params={params} query={query} />
  return <main>{failed ? <Failed failure={noAnswer()} again={load} /> : <Loading />}</main>
}
