import { dirname, join, normalize } from 'node:path'
import type { SourceFile } from './layout.ts'

/**
 * Who may import whom: the one list of it. A room is a folder with everything below it, or a group of files; a path
 * belongs to the first row that matches it. What a row does not name is forbidden, types included.
 */
export interface Room {
  name: string
  holds: RegExp
  /** Names of rooms. Every room may import from itself. */
  rooms: readonly string[]
  /** Packages, including their subpaths. `node` stands for Node's own modules. */
  packages: readonly string[]
  /** Rooms of which only types may be imported. */
  types?: readonly string[]
}

/** A PSP: every folder of adapters/ and simulators/ that is not shared. */
const PSP = '(?!shared$|conformance$|engine$|registry$)[a-z-]+'
/** An adapter and a simulator may import only their PSP's SDK: a package, or a scope, with the PSP's name. */
const sdkOf = (psp: string) => [psp, `@${psp}`]
const FRAMEWORK = ['adapters', 'adapters/registry'] as const

const adapterRoom = (psp: string): Room => ({
  name: `adapters/${psp}`,
  holds: new RegExp(`^adapters/${psp}/`),
  rooms: ['domain', 'adapters'],
  packages: ['node', 'zod', ...sdkOf(psp)],
})

const simulatorRoom = (psp: string): Room => ({
  name: `simulators/${psp}`,
  holds: new RegExp(`^simulators/${psp}/`),
  // Tables of the PSP's documentation exist once, in its adapter.
  rooms: ['domain', 'simulators/engine', 'adapters', `adapters/${psp}`, 'adapters/conformance/subject'],
  packages: ['node', 'hono', ...sdkOf(psp)],
})

export const ROOMS: readonly Room[] = [
  { name: 'domain', holds: /^domain\//, rooms: [], packages: ['zod', 'liquidjs'] },
  {
    name: 'adapters',
    holds: /^adapters\/(shared\/|(contract|define|errors)\.ts$)/,
    rooms: ['domain'],
    packages: ['node', 'zod'],
  },
  {
    name: 'adapters/registry',
    holds: /^adapters\/[a-z-]+\.ts$/,
    rooms: ['domain', 'adapters', `adapters/${PSP}`],
    packages: [],
  },
  {
    name: 'adapters/conformance/subject',
    holds: /^adapters\/conformance\/(subject|ends)\.ts$/,
    rooms: ['adapters', 'simulators/engine'],
    packages: [],
  },
  {
    name: 'adapters/conformance',
    holds: /^adapters\/conformance\//,
    rooms: [
      ...['domain', ...FRAMEWORK, `adapters/${PSP}`, 'adapters/conformance/subject'],
      ...['simulators/engine', `simulators/${PSP}`, 'simulators/registry'],
    ],
    packages: ['node'],
  },
  {
    name: 'simulators/registry',
    holds: /^simulators\/[a-z-]+\.ts$/,
    rooms: ['simulators/engine', `simulators/${PSP}`],
    packages: ['node'],
  },
  {
    name: 'simulators/engine',
    holds: /^simulators\/engine\//,
    rooms: ['domain'],
    packages: ['node', 'hono', '@hono/node-server', 'zod'],
  },
  { name: 'db', holds: /^db\//, rooms: ['domain'], packages: ['node', 'kysely', 'pg', 'uuid'] },
  {
    name: 'webhooks',
    holds: /^webhooks\//,
    rooms: ['domain', 'db', 'process'],
    packages: ['node', 'uuid', 'ipaddr.js', 'p-limit', 'nodemailer'],
  },
  { name: 'process', holds: /^process\//, rooms: ['domain', 'db'], packages: ['node', 'zod', 'pino'] },
  // The side of API and worker: it starts processes and sends them files. Without the packages it can't parse one.
  {
    name: 'files/processes',
    holds: /^files\/(build-evidence|fair-slots|file-process|jobs|kill-counts|processes|refusals)\.ts$/,
    rooms: ['domain'],
    packages: ['node'],
  },
  // The side of the process that can be killed: no other room may import what parses files.
  {
    name: 'files',
    holds: /^files\//,
    rooms: ['domain', 'files/processes'],
    packages: ['node', 'pdfjs-dist', '@cantoo/pdf-lib', 'sharp', 'tsx', '@myriaddreamin/typst-ts-web-compiler'],
  },
  {
    name: 'workflows/definitions',
    holds: /^workflows\/definitions\//,
    rooms: ['domain', 'workflows/contract'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
    types: ['workflows/activities'],
  },
  {
    name: 'workflows/contract',
    holds: /^workflows\/contract\.ts$/,
    rooms: ['domain'],
    packages: ['@temporalio/common'],
  },
  {
    name: 'workflows/starters',
    holds: /^workflows\/starters\//,
    rooms: ['domain', 'db', 'process', 'workflows/contract'],
    packages: ['node', '@temporalio/client'],
  },
  {
    name: 'workflows/activities',
    holds: /^workflows\/activities\//,
    rooms: ['domain', 'db', 'process', 'files/processes', ...FRAMEWORK, 'workflows/contract', 'workflows/starters'],
    packages: ['node', 'uuid', '@temporalio/activity', '@temporalio/client', '@temporalio/common'],
  },
  {
    name: 'workflows/worker',
    holds: /^workflows\/worker\//,
    rooms: [
      ...['domain', 'db', 'process', 'webhooks', 'files/processes', ...FRAMEWORK],
      ...['workflows/contract', 'workflows/starters', 'workflows/activities'],
    ],
    packages: ['node', 'zod', 'prom-client', '@temporalio/worker', '@temporalio/activity', '@temporalio/client'],
  },
  {
    name: 'api',
    holds: /^api\//,
    rooms: [
      'domain',
      'db',
      'process',
      'webhooks',
      'files/processes',
      ...FRAMEWORK,
      'workflows/contract',
      'workflows/starters',
    ],
    packages: [
      ...['node', 'hono', '@hono/node-server', '@hono/zod-openapi', 'zod', 'jose', '@fastify/busboy'],
      ...['esbuild', 'ipaddr.js', 'p-limit', 'prom-client', 'rate-limiter-flexible'],
    ],
  },
  // In the browser: it uses the public interface only. The API bundles it and imports none of it.
  { name: 'console', holds: /^console\//, rooms: [], packages: ['preact'] },
  {
    name: 'cli',
    holds: /^cli\//,
    rooms: [
      'domain',
      'db',
      'process',
      'webhooks',
      'files/processes',
      ...FRAMEWORK,
      'workflows/contract',
      'workflows/starters',
    ],
    packages: ['node', 'zod', '@temporalio/client'],
  },
]

const PSP_PATH = new RegExp(`^(adapters|simulators)/(${PSP.replaceAll('$', '/')})/`)

/** The room of a path; undefined for paths that may import everything: local, bench, scripts, test. */
export function roomOf(path: string): Room | undefined {
  const [, kind, psp] = PSP_PATH.exec(path) ?? []
  if (psp !== undefined) return kind === 'adapters' ? adapterRoom(psp) : simulatorRoom(psp)
  return ROOMS.find(({ holds }) => holds.test(path))
}

interface Import {
  specifier: string
  types: boolean
}

const STATEMENT = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^'\n]+)'/gm
const EXPRESSION = /\bimport\(\s*'([^'\n]+)'\s*\)/g

export function importsOf(text: string): Import[] {
  return [
    ...[...text.matchAll(STATEMENT)].map(([, type, specifier = '']) => ({ specifier, types: type !== undefined })),
    ...[...text.matchAll(EXPRESSION)].map(([, specifier = '']) => ({ specifier, types: false })),
  ]
}

const isRelative = (specifier: string) => specifier.startsWith('.')
const targetOf = (path: string, specifier: string) => normalize(join(dirname(path), specifier))

/** Errors about imports that no row of the list allows. */
export function boundaryFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const room = roomOf(path)
    if (!room) return []
    return importsOf(text)
      .filter((one) => !mayImport(room, path, one))
      .map(({ specifier }) => `${path} imports ${specifier}: ${room.name} may not (scripts/boundaries.ts)`)
  })
}

function mayImport(room: Room, path: string, { specifier, types }: Import): boolean {
  if (specifier.startsWith('node:')) return room.packages.includes('node')
  if (!isRelative(specifier))
    return room.packages.some((name) => specifier === name || specifier.startsWith(`${name}/`))
  const target = roomOf(targetOf(path, specifier))
  if (target?.name === room.name) return true
  const among = (names: readonly string[] = []) =>
    target !== undefined && names.some((name) => new RegExp(`^${name}$`).test(target.name))
  return among(room.rooms) || (types && among(room.types))
}

/** Errors about import circles, types included. */
export function circleFaults(files: readonly SourceFile[]): string[] {
  const imports = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text)
        .filter(({ specifier }) => isRelative(specifier))
        .map(({ specifier }) => targetOf(path, specifier)),
    ]),
  )
  const done = new Set<string>()
  const faults: string[] = []
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path)
    if (start >= 0) faults.push(`a circle of imports: ${[...way.slice(start), path].join(' → ')}`)
    if (start >= 0 || done.has(path)) return
    for (const next of imports.get(path) ?? []) visit(next, [...way, path])
    done.add(path)
  }
  for (const path of imports.keys()) visit(path, [])
  return faults
}
