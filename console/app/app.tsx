import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { whenSessionEnds } from '../api/call.ts'
import { readSession, signOut } from '../api/session.ts'
import { cache } from '../api/use-read.ts'
import { Announcements } from '../parts/announce.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Failed } from '../parts/states.tsx'
import { Banners, WithBanners } from './banners.tsx'
import { Help } from './help.tsx'
import { IdleWarning } from './idle.tsx'
import { useKeyboard, useKeys } from './keys.ts'
import { Live } from './live.tsx'
import { navigate, useRoute } from './navigation.ts'
import { Rail } from './rail.tsx'
import { merchantQuery, returnPath, routeOf } from './router.ts'
import { loadCode, Screen } from './screen.tsx'
import { SCREENS } from './screens.ts'
import { applyTheme } from './theme.ts'
import { TopBar, useConnection } from './top-bar.tsx'
import { type Me, WhoContext } from './who.ts'
import { ZoneContext, zoneNow } from './zone.ts'

type State =
  | { kind: 'starting' }
  | { kind: 'signed-out' }
  | { kind: 'signed-in'; me: Me }
  /** In mid-session: what was shown is gone. */
  | { kind: 'ended' }
  | { kind: 'failed'; failure: Error; again: () => Promise<void> }

/** Time to wait for the data of the screen: to render it without them, and again with them, takes longer. */
const WAIT_MS = 200
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const SIGN_IN = '/console/sign-in'
const here = () => location.pathname + location.search

export function App() {
  const route = useRoute(SCREENS)
  const away = useConnection((connection) => connection.away)
  const [state, setState] = useState<State>({ kind: 'starting' })
  const [help, setHelp] = useState(false)
  const [zone, setZone] = useState(zoneNow)

  async function start() {
    setState({ kind: 'starting' })
    try {
      const [me, readAhead] = await Promise.all([readSession(), loadFirst()])
      if (me === null) {
        setState({ kind: 'signed-out' })
        if (location.pathname !== SIGN_IN)
          navigate(`${SIGN_IN}?${new URLSearchParams({ return: here() })}`, { replace: true })
        return
      }
      await Promise.race([readAhead(me), pause(WAIT_MS)])
      setState({ kind: 'signed-in', me })
      if (location.pathname === SIGN_IN)
        navigate(returnPath(new URLSearchParams(location.search).get('return'), location.origin), { replace: true })
    } catch (failure) {
      setState({ kind: 'failed', failure: failure as Error, again: start })
    }
  }

  // Before the first paint: there is nothing to see until it answers.
  useLayoutEffect(() => {
    applyTheme()
    void start()
    whenSessionEnds(end)
  }, [])

  /** What was shown is cleared: it is about persons. */
  function end() {
    cache.forget()
    setState((current) => (current.kind === 'signed-in' ? { kind: 'ended' } : current))
  }

  async function leave() {
    cache.forget()
    setState({ kind: 'starting' })
    try {
      await signOut()
      location.assign(SIGN_IN)
    } catch {
      const failure = new Error('The service did not answer: you are still signed in.')
      setState({ kind: 'failed', failure, again: leave })
    }
  }

  const chosen = state.kind === 'signed-in' ? chosenMerchant(state.me, route.query.get('m')) : undefined
  return (
    <>
      <Announcements />
      {state.kind === 'signed-out' && <SignInScreen onSignedIn={start} />}
      {state.kind === 'ended' && <Ended />}
      {state.kind === 'failed' && (
        <main>
          <h1>Recoup</h1>
          <Failed failure={state.failure} again={state.again} />
        </main>
      )}
      {state.kind === 'signed-in' && (
        <ZoneContext.Provider value={zone}>
          <WhoContext.Provider value={{ me: state.me, merchant: chosen, away }}>
            <WithBanners onEnd={end}>
              <TopBar
                me={state.me}
                merchant={chosen}
                query={route.query}
                onHelp={() => setHelp(true)}
                onSignOut={leave}
              />
              <Banners />
              <div class="page">
                <Rail screens={SCREENS} route={route} />
                <Screen route={route} />
              </div>
              <Shortcuts query={route.query} onHelp={() => setHelp(true)} />
              {chosen !== undefined && <Live />}
              {help && <Help onZone={() => setZone(zoneNow())} onClose={() => setHelp(false)} />}
              <IdleWarning onEnd={end} />
            </WithBanners>
          </WhoContext.Provider>
        </ZoneContext.Provider>
      )}
    </>
  )
}

/** Loads the code of the screen at this address. @returns asks for what it shows first */
async function loadFirst(): Promise<(me: Me) => Promise<void> | undefined> {
  const { screen, query } = routeOf(SCREENS, location.pathname, location.search)
  // The screen itself says that its code can't be loaded.
  const code = await loadCode(screen).catch(() => undefined)
  return (me) => {
    const merchant = chosenMerchant(me, query.get('m'))
    return merchant === undefined ? undefined : code?.readAhead?.(query, merchant)
  }
}

/** Keys of every screen. */
function Shortcuts({ query, onHelp }: { query: URLSearchParams; onHelp: () => void }) {
  useKeyboard()
  useKeys([
    { keys: '?', what: 'Keys and settings', act: onHelp },
    ...SCREENS.flatMap(({ key, title, path }) =>
      key ? [{ keys: `g ${key}`, what: title, act: () => navigate(`${path}${merchantQuery(query)}`) }] : [],
    ),
  ])
  return null
}

/**
 * The merchant that the address names, the first one if it names none: the header is needed by credentials with several.
 * @returns undefined if the person has no such merchant
 */
function chosenMerchant({ merchants }: Me, named: string | null): string | undefined {
  return (named ? merchants.find(({ referenceId }) => referenceId === named) : merchants[0])?.referenceId
}

function Ended() {
  return (
    <main>
      <h1>Recoup</h1>
      <Dialog title="Your session has ended">
        <p>What was shown is cleared, also what was typed and not saved. Sign in to go on where you were.</p>
        <div class="buttons">
          <a class="button primary" href={`${SIGN_IN}?${new URLSearchParams({ return: here() })}`} target="_self">
            Sign in
          </a>
        </div>
      </Dialog>
    </main>
  )
}

function SignInScreen({ onSignedIn }: { onSignedIn: () => void }) {
  const [found, setFound] = useState<typeof import('../sign-in/screen.tsx')>()
  useEffect(() => {
    document.title = 'Sign in · Recoup'
    void import('../sign-in/screen.tsx').then(setFound)
  }, [])
  return found ? <found.SignIn onSignedIn={onSignedIn} /> : null
}
