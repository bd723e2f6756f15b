import { useEffect, useState } from 'preact/hooks'
import { send } from '../api/call.ts'
import { noAnswer } from '../api/failure.ts'
import { Foreign } from '../parts/foreign.tsx'
import { figure } from '../parts/money.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { QUEUE, type Route, type ScreenCode, type ScreenRow } from './router.ts'
import { useWho } from './who.ts'

const loaded = new Map<ScreenRow, ScreenCode>()

/** Loads the code of a screen. Code that is there is rendered at once. */
export async function loadCode(screen: Route['screen']): Promise<ScreenCode | undefined> {
  if (typeof screen === 'string') return undefined
  const code = loaded.get(screen) ?? (await screen.load())
  loaded.set(screen, code)
  return code
}

/** The screen of a route; its code is loaded when it is first shown. */
export function Screen({ route: { screen, params, query } }: { route: Route }) {
  const { me, merchant } = useWho()
  const [, setShown] = useState<Route['screen']>()
  const [failed, setFailed] = useState<'no answer' | 'new version'>()
  const code = typeof screen === 'string' ? undefined : loaded.get(screen)
  const load = () => {
    setFailed(undefined)
    loadCode(screen).then(
      () => setShown(screen),
      async () => setFailed((await doesAnswer()) ? 'new version' : 'no answer'),
    )
  }
  useEffect(() => {
    // No search terms and no persons: titles are in the browser's history.
    const title = screen === 'unknown' ? 'Not found' : screen === 'sign-in' ? 'Sign in' : screen.title
    document.title = `${title} · Recoup`
    if (!code) load()
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
  // Another merchant's data would look like those that the link was about.
  if (merchant === undefined)
    return (
      <main>
        <h1>{me.hasMore ? 'This merchant is not listed' : 'No such merchant'}</h1>
        <Empty>
          {me.hasMore ? (
            <>
              The console lists the first {figure(me.merchants.length)} merchants of your credential, by name.{' '}
              <Foreign text={query.get('m') ?? ''} /> may be a later one: sign in with its own credential to see it.
            </>
          ) : (
            <>
              There is no merchant <Foreign text={query.get('m') ?? ''} />, or your credential is not for it.
            </>
          )}{' '}
          {me.merchants.length > 1 && 'Choose another one above. '}
          <a href={QUEUE}>
            Open the queue of <Foreign text={me.merchants[0]?.merchantName ?? ''} />
          </a>
        </Empty>
      </main>
    )
  if (code) return <code.Screen key={Object.values(params).join('/')} params={params} query={query} />
  if (failed === 'new version')
    return (
      <main>
        <h1>There is a new version of this page</h1>
        <Empty>
          Recoup was updated while the page was open.{' '}
          <button type="button" onClick={() => location.reload()}>
            Load it again
          </button>
        </Empty>
      </main>
    )
  return <main>{failed ? <Failed failure={noAnswer()} again={load} /> : <Loading />}</main>
}

/** After an update the service answers, but the former code is not there any more. */
const doesAnswer = (): Promise<boolean> =>
  send('/console/session', { method: 'GET', headers: { 'x-console-background': '1' } }).then(
    () => true,
    () => false,
  )
