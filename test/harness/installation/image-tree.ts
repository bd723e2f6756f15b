import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { projectFolder } from '../../../local/run-script.ts'

const PACKAGES = 'node_modules'

interface Stage {
  name: string
  parent: string
  steps: { verb: string; rest: string }[]
}

/**
 * Builds the content of /app in stages of the Dockerfile without a container engine: context by .dockerignore, COPY,
 * and each RUN that begins with npm or node. Other steps concern the image's system and are skipped.
 */
export function createImageTree(root: string) {
  const stages = readStages(readFileSync(join(projectFolder, 'Dockerfile'), 'utf8'))
  const inContext = readIgnore(readFileSync(join(projectFolder, '.dockerignore'), 'utf8'))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: projectFolder,
    encoding: 'utf8',
  })
  const context = listed.split('\0').filter((path) => inContext(path) && existsSync(join(projectFolder, path)))

  /** Builds a stage. @returns its folder */
  function make(name: string): string {
    const folder = join(root, name)
    if (existsSync(folder)) return folder
    const stage = stages.find((one) => one.name === name)
    if (!stage) throw new Error(`the Dockerfile has no stage ${name}`)
    mkdirSync(folder, { recursive: true })
    if (stages.some((one) => one.name === stage.parent)) link(make(stage.parent), folder, changesPackages(stage))
    for (const { verb, rest } of stage.steps) {
      if (verb === 'COPY') copy(folder, rest)
      if (verb === 'RUN') run(folder, rest.replace(/^(--\S+ )+/, ''))
    }
    return folder
  }
  return make

  function copy(folder: string, rest: string): void {
    const words = rest.split(/\s+/)
    const from = /^--from=(\S+)$/.exec(words[0] ?? '')?.[1]
    const sources = words.slice(from ? 1 : 0, -1)
    const target = words.at(-1) ?? ''
    if (from) {
      for (const source of sources) link(join(make(from), source.replace(/^\/app\//, '')), join(folder, target), false)
      return
    }
    for (const source of sources) {
      const paths = context.filter((path) => source === '.' || path === source || path.startsWith(`${source}/`))
      if (paths.length === 0) throw new Error(`COPY ${source}: .dockerignore excludes all of it`)
      for (const path of paths) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        cpSync(join(projectFolder, path), join(folder, path))
      }
    }
  }
}

function run(folder: string, command: string): void {
  if (!/^(npm|node) /.test(command)) return
  const env = { ...process.env, NODE_ENV: '', npm_config_prefer_offline: 'true' }
  execFileSync('bash', ['-c', command], { cwd: folder, env, stdio: 'pipe' })
}

const changesPackages = ({ steps }: Stage) => steps.some(({ verb, rest }) => verb === 'RUN' && !/npm run/.test(rest))

/**
 * Overwrites existing files, as COPY does. Files are hard links, because they are never written to. Packages, which
 * have 30,000 files, are one symbolic link in a stage that does not change them.
 */
function link(from: string, to: string, packages: boolean): void {
  if (basename(from) === PACKAGES) {
    if (packages) execFileSync('cp', ['-al', from, to])
    else symlinkSync(from, to)
    return
  }
  mkdirSync(to, { recursive: true })
  const names = readdirSync(from).filter((name) => name !== PACKAGES)
  for (const name of names) execFileSync('cp', ['-al', '--remove-destination', join(from, name), to])
  if (existsSync(join(from, PACKAGES))) link(join(from, PACKAGES), join(to, PACKAGES), packages)
}

function readStages(text: string): Stage[] {
  const stages: Stage[] = []
  for (const line of text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')) {
    const [, verb = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    const [, parent = '', name = ''] = verb === 'FROM' ? (/^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []) : []
    if (verb === 'FROM') stages.push({ name, parent, steps: [] })
    else if (verb) stages.at(-1)?.steps.push({ verb, rest: rest.replace(/\s+/g, ' ') })
  }
  return stages
}

/** Supports only the form of our file: everything is excluded except the listed paths. */
function readIgnore(text: string): (path: string) => boolean {
  const [first, ...kept] = text.trim().split('\n')
  if (first !== '**' || kept.some((line) => !line.startsWith('!')))
    throw new Error('.dockerignore is not an allow-list')
  const paths = kept.map((line) => line.slice(1))
  return (path) => paths.some((one) => path === one || path.startsWith(`${one}/`))
}
