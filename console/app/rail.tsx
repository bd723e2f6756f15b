import { merchantQuery, type Route, type ScreenRow } from './router.ts'

/** Links to the screens: a bar on the left, on small windows at the bottom. */
export function Rail({ screens, route }: { screens: readonly ScreenRow[]; route: Route }) {
  const suffix = merchantQuery(route.query)
  return (
    <nav class="rail" aria-label="Screens">
      {screens
        .filter(({ key }) => key !== undefined)
        .map((screen) => (
          <a
            key={screen.path}
            href={`${screen.path}${suffix}`}
            aria-current={screen === route.screen ? 'page' : undefined}
          >
            {screen.title}
          </a>
        ))}
    </nav>
  )
}
