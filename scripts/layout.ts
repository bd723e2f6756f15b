import { basename, dirname } from 'node:path'

/** Lines a file may have; generated files and the SQL of migrations are not counted. */
const CEILING = 250
const UNCOUNTED = [/^db\/schema\.ts$/, /^console\/api\/operations\.ts$/, /^db\/migrations\//]
/** Files a folder may have. */
const CROWDED = 25
/** Folders without a limit: numbered pages and data are not searched by name. */
const UNCOUNTED_FOLDERS = [/^docs\/decisions$/, /^db\/migrations$/, /fixtures/, /^test\/histories$/]
const BARRED = /^(utils?|helpers?|common|types)$/

export interface SourceFile {
  path: string
  text: string
}

/** Errors about folders with too many files. @param paths of all files of the project */
export function folderFaults(paths: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts]
    .filter(([folder, count]) => count > CROWDED && !UNCOUNTED_FOLDERS.some((pattern) => pattern.test(folder)))
    .map(([folder, count]) => `${folder} has ${count} files, ${CROWDED} is the ceiling: split it by subject`)
}

/** Errors about files that are too long or have meaningless names. */
export function layoutFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const faults: string[] = []
    const lines = text.trimEnd().split('\n').length
    if (lines > CEILING && !UNCOUNTED.some((pattern) => pattern.test(path)))
      faults.push(`${path} has ${lines} lines, ${CEILING} is the ceiling: split it by subject`)
    const parts = path.replace(/\.tsx?$/, '').split('/')
    if (parts.some((part) => BARRED.test(part))) faults.push(`${path}: name it after its subject`)
    if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.(test|config))?$/.test(basename(path).replace(/\.tsx?$/, '')))
      faults.push(`${path}: file names are kebab-case`)
    return faults
  })
}
