import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { clock } from '../parts/when.tsx'
import { useSessionEnd } from './session-end.ts'
import { useWho } from './who.ts'

const BannersContext = createContext<readonly string[]>([])

interface WithBannersProps {
  /** Another person has signed in meanwhile. */
  onEnd: () => void
  children: ComponentChildren
}

/** Knows what the person must learn, whatever is shown. */
export function WithBanners({ onEnd, children }: WithBannersProps) {
  const { away } = useWho()
  const end = useSessionEnd(onEnd)
  const words = [
    ...(away ? ['The service does not answer. What you see may be old; nothing can be done until it is back.'] : []),
    ...(end === undefined
      ? []
      : [
          `You will be signed out at ${clock(end)}, and nothing prolongs it. Save what you have typed; then sign in again.`,
        ]),
  ]
  return <BannersContext.Provider value={words}>{children}</BannersContext.Provider>
}

/** Shows it, on top of the page and of each dialog: what is below an open dialog is neither seen nor read out. */
export function Banners() {
  return (
    <div role="status">
      {useContext(BannersContext).map((words) => (
        <p key={words} class="banner warn">
          {words}
        </p>
      ))}
    </div>
  )
}
