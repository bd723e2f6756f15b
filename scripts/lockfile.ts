/** Restores entries of package-lock.json that a registry without some platforms leaves out. */

export interface LockedPackage {
  version?: string
  optionalDependencies?: Record<string, string>
  [key: string]: unknown
}

export interface Lockfile {
  packages: Record<string, LockedPackage>
  [key: string]: unknown
}

export interface MissingPackage {
  path: string
  name: string
  version: string
  /** Required by development packages only. */
  dev: boolean
}

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32']

/**
 * Optional packages that are named by a locked one and locked nowhere on the way up: `npm ci` stops at the first of
 * them. Only exact versions count, as platform packages have.
 */
export function missingPackages(lock: Lockfile): MissingPackage[] {
  const missing = new Map<string, MissingPackage>()
  for (const [at, parent] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      const path = `node_modules/${name}`
      if (/^\d/.test(version) && !resolves(lock, at, name))
        missing.set(path, { path, name, version, dev: parent.dev === true })
    }
  }
  return [...missing.values()]
}

/** The same lockfile with an entry for each missing package, in npm's order. */
export function fillLockfile(lock: Lockfile): Lockfile {
  const packages = { ...lock.packages }
  for (const { path, name, version, dev } of missingPackages(lock)) {
    const { cpu, libc, os } = platformOf(name)
    packages[path] = {
      version,
      ...(cpu && { cpu }),
      ...(dev && { dev }),
      ...(libc && { libc }),
      optional: true,
      ...(os && { os }),
    }
  }
  const sorted = Object.keys(packages).sort((a, b) => a.localeCompare(b, 'en'))
  return { ...lock, packages: Object.fromEntries(sorted.map((key) => [key, packages[key] as LockedPackage])) }
}

/** Platform according to a package's name: `@swc/core-linux-x64-musl` → linux, x64, musl. */
export function platformOf(name: string): { os?: string[]; cpu?: string[]; libc?: string[] } {
  const parts = name.split(/[/-]/).map((part) => part.replace(/^windows$/, 'win32'))
  const os = SYSTEMS.find((system) => parts.includes(system))
  const cpu = PROCESSORS.find((processor) => parts.includes(processor) || parts.includes(`${processor}v7`))
  const musl = parts.some((part) => /^musl/.test(part))
  const glibc = parts.some((part) => /^gnu/.test(part))
  return {
    ...(os && { os: [os] }),
    ...(cpu && { cpu: [cpu] }),
    ...(os === 'linux' && (musl || glibc) && { libc: [musl ? 'musl' : 'glibc'] }),
  }
}

/** Locked versions of a package, at the top and elsewhere. */
export function lockedVersions(lock: Lockfile, name: string): { path: string; version: string }[] {
  return Object.entries(lock.packages)
    .filter(([path]) => path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`))
    .map(([path, entry]) => ({ path, version: entry.version ?? '' }))
}

function resolves(lock: Lockfile, from: string, name: string): boolean {
  for (
    let base = from;
    ;
    base = base.includes('/node_modules/') ? base.slice(0, base.lastIndexOf('/node_modules/')) : ''
  ) {
    if (`${base === '' ? '' : `${base}/`}node_modules/${name}` in lock.packages) return true
    if (base === '') return false
  }
}
