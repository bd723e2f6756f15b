import { useEffect, useRef } from 'preact/hooks'
import { merchantQuery, type Route, type ScreenRow } from './router.ts'

/** A screen about one thing belongs to the list of all. */
const isWithin = ({ screen: shown }: Route, screen: ScreenRow) =>
  shown === screen || (typeof shown !== 'string' && shown.path.startsWith(`${screen.path}/`))

/** Links to the screens: a bar on the left, on small windows at the bottom. */
export function Rail({ screens, route }: { screens: readonly ScreenRow[]; route: Route }) {
  const suffix = merchantQuery(route.query)
  const bar = useRef<HTMLElement>(null)
  // The bar at the bottom of a small window is wider than the window.
  useEffect(() => {
    const link = bar.current?.querySelector<HTMLElement>('[aria-current]')
    if (bar.current && link) bar.current.scrollLeft = link.offsetLeft - 16
  }, [route.screen])
  return (
    <nav ref={bar} class="rail" aria-label="Screens">
      {screens
        .filter(({ key }) => key !== undefined)
        .map((screen) => (
          <a
            key={screen.path}
            href={`${screen.path}${suffix}`}
            aria-current={isWithin(route, screen) ? 'page' : undefined}
          >
            {screen.title}
          </a>
        ))}
    </nav>
  )
}
