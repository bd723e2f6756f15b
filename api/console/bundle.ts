import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Metafile } from 'esbuild'

/** Output of `npm run build`; absent in a source tree. */
export const BUNDLE_FOLDER = fileURLToPath(new URL('./bundle', import.meta.url))
const SOURCE = fileURLToPath(new URL('../../console', import.meta.url))
const MANIFEST = 'manifest.json'
const SCREENS = 'app/screens.ts'

/** Files of the console, as people's browsers load them. */
export interface Bundle {
  /** By name, which has a hash of the content. */
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  manifest: Manifest
}

interface Manifest {
  script: string
  style: string
  icon: string
  /** Chunks that a screen needs, by its folder: its own first, then those that it and the main script import. */
  screens: Record<string, string[]>
  /** Folders of screens, by the templates of their paths. */
  paths: Record<string, string>
}

/** The built bundle, else one made now from console/: 50 to 170 ms of CPU. */
export async function consoleBundle(): Promise<Bundle> {
  if (!existsSync(BUNDLE_FOLDER)) return bundleConsole()
  const names = readdirSync(BUNDLE_FOLDER).filter((name) => name !== MANIFEST)
  return {
    files: new Map(names.map((name) => [name, new Uint8Array(readFileSync(join(BUNDLE_FOLDER, name)))])),
    manifest: JSON.parse(readFileSync(join(BUNDLE_FOLDER, MANIFEST), 'utf8')) as Manifest,
  }
}

/** Bundles console/. Its tsconfig.json decides about JSX: esbuild prefers that to its own options. */
export async function bundleConsole(): Promise<Bundle> {
  const esbuild = await import('esbuild')
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: SOURCE,
    entryPoints: ['main.tsx', 'style/icon.svg'],
    inject: ['app/shared.ts'],
    outdir: 'out',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    loader: { '.svg': 'copy' },
    logLevel: 'silent',
  })
  // Its child process would otherwise stay with the API.
  await esbuild.stop()
  const nameOf = (path: string) => path.replaceAll('\\', '/').split('/').at(-1) as string
  return {
    files: new Map(outputFiles.map(({ path, contents }) => [nameOf(path), new Uint8Array(contents)])),
    manifest: manifestOf(metafile, nameOf),
  }
}

function manifestOf(metafile: Metafile, nameOf: (path: string) => string): Manifest {
  const outputs = Object.entries(metafile.outputs)
  const pathOf = (found: (name: string) => boolean) =>
    outputs.map(([path]) => path).find((path) => found(nameOf(path))) ?? ''
  const named = (found: (name: string) => boolean) => nameOf(pathOf(found))
  const script = pathOf((name) => name.startsWith('main-') && extname(name) === '.js')
  const codeOf = (path: string) =>
    importedBy(metafile, [path, script]).flatMap((one) => (one === script ? [] : [nameOf(one)]))
  return {
    script: nameOf(script),
    style: named((name) => extname(name) === '.css'),
    icon: named((name) => extname(name) === '.svg'),
    screens: Object.fromEntries(
      outputs.flatMap(([path, { entryPoint = '' }]) => {
        const [, screen] = /^([a-z-]+)\/screen\.tsx$/.exec(entryPoint) ?? []
        return screen ? [[screen, codeOf(path)]] : []
      }),
    ),
    paths: { '/console': 'queue', '/console/sign-in': 'sign-in', ...pathsOf(SCREENS) },
  }
}

/** Outputs with all that they import at once. */
function importedBy({ outputs }: Metafile, paths: readonly string[]): string[] {
  const reached = new Set(paths)
  for (const path of reached)
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement') reached.add(imported)
  return [...reached]
}

/** From the console's table of screens, as text: the API imports nothing of console/. */
function pathsOf(table: string): Record<string, string> {
  const text = readFileSync(join(SOURCE, table), 'utf8')
  const rows = [...text.matchAll(/path: '([^']+)'[^}]*?import\('\.\.\/([a-z-]+)\/screen\.tsx'\)/g)]
  return Object.fromEntries(rows.map(([, path = '', folder = '']) => [path, folder]))
}

/** Writes the bundle where the compiled API finds it. */
export async function writeBundle(folder: string): Promise<void> {
  const { files, manifest } = await bundleConsole()
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of files) writeFileSync(join(folder, name), content)
  writeFileSync(join(folder, MANIFEST), JSON.stringify(manifest))
}
