import { useEffect, useState } from 'preact/hooks'
import { type Route, routeOf, type ScreenRow } from './router.ts'

const CHANGED = 'console-route'

export function navigate(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', path)
  else history.pushState(null, '', path)
  window.dispatchEvent(new Event(CHANGED))
}

/** The current route. Links of the console are followed without loading the page. */
export function useRoute(screens: readonly ScreenRow[]): Route {
  const here = () => routeOf(screens, location.pathname, location.search)
  const [route, setRoute] = useState(here)
  useEffect(() => {
    const changed = () => setRoute(here())
    const clicked = (event: MouseEvent) => {
      const link = (event.target as Element).closest?.('a')
      const plain = !event.defaultPrevented && event.button === 0
      if (!link || !plain || event.metaKey || event.ctrlKey || event.shiftKey || link.target) return
      const url = new URL(link.href)
      if (url.origin !== location.origin || !url.pathname.startsWith('/console')) return
      event.preventDefault()
      navigate(url.pathname + url.search)
      window.scrollTo(0, 0)
    }
    window.addEventListener('popstate', changed)
    window.addEventListener(CHANGED, changed)
    document.addEventListener('click', clicked)
    return () => {
      window.removeEventListener('popstate', changed)
      window.removeEventListener(CHANGED, changed)
      document.removeEventListener('click', clicked)
    }
  }, [])
  return route
}
