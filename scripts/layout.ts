import { basename } from 'node:path'

/** Lines a file may have; generated files and the SQL of migrations are not counted. */
const CEILING = 250
const UNCOUNTED = [/^db\/schema\.ts$/, /^db\/migrations\//]
const BARRED = /^(utils?|helpers?|common|types)$/

export interface SourceFile {
  path: string
  text: string
}

/** Sentences about files that are too long or whose names say nothing. */
export function layoutFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const faults: string[] = []
    const lines = text.trimEnd().split('\n').length
    if (lines > CEILING && !UNCOUNTED.some((pattern) => pattern.test(path)))
      faults.push(`${path} has ${lines} lines, ${CEILING} is the ceiling: split it by subject`)
    const parts = path.replace(/\.ts$/, '').split('/')
    if (parts.some((part) => BARRED.test(part))) faults.push(`${path}: name it after its subject`)
    if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.(test|config))?$/.test(basename(path, '.ts')))
      faults.push(`${path}: file names are kebab-case`)
    return faults
  })
}
