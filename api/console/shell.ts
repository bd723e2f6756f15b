import type { Bundle } from './bundle.ts'

/** The folder of the screen at a path; undefined where there is none. */
export function screenAt({ manifest: { paths } }: Pick<Bundle, 'manifest'>, path: string): string | undefined {
  const parts = path.replace(/\/+$/, '').split('/')
  const [, folder] =
    Object.entries(paths).find(([template]) => {
      const names = template.split('/')
      return (
        names.length === parts.length && names.every((name, index) => name.startsWith(':') || name === parts[index])
      )
    }) ?? []
  return folder
}

/**
 * The page that every screen begins with. It has no data and no inline script. It names all code of its screen, and the
 * session, which would otherwise be asked for one after the other.
 */
export function shell({ manifest }: Bundle, screen: string | undefined): string {
  const { script, style, icon, screens } = manifest
  const chunks = (screen === undefined ? undefined : screens[screen]) ?? []
  const code = chunks.map((chunk) => `\n    <link rel="modulepreload" href="/console/assets/${chunk}">`).join('')
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Recoup</title>
    <link rel="icon" type="image/svg+xml" href="/console/assets/${icon}">
    <link rel="stylesheet" href="/console/assets/${style}">
    <script type="module" src="/console/assets/${script}"></script>${code}
    <link rel="preload" as="fetch" crossorigin href="/console/session">
  </head>
  <body>
    <div id="console"></div>
    <noscript>The console needs JavaScript. The API and its reference at /docs work without it.</noscript>
  </body>
</html>
`
}
