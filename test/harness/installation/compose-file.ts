import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../../local/run-script.ts'

export interface ComposedService {
  name: string
  image: string
  /** Words of its command; empty if the image's own command is used. */
  command: string[]
  /** Script of a health check that runs in Node. */
  healthScript: string | null
  /** Words of the command of its health check. */
  healthCheck: string[]
}

/** Services of docker-compose.yml. Parses only the one-line style of that file. */
export function composedServices(
  text = readFileSync(join(projectFolder, 'docker-compose.yml'), 'utf8'),
): ComposedService[] {
  const body = text.slice(text.indexOf('\nservices:'), text.indexOf('\nvolumes:'))
  return body
    .split(/\n {2}(?=\w[\w-]*:\n)/)
    .slice(1)
    .map((block) => {
      const inline = /^ {4}command: \[(.*)\]$/m.exec(block)?.[1]?.split(', ')
      const listed = /^ {4}command:\n((?: {6}- .*\n)+)/m.exec(block)?.[1]
      return {
        name: block.slice(0, block.indexOf(':')),
        // By default the image of the anchor that all services of the product share.
        image: /^ {4}image: (\S+)$/m.exec(block)?.[1] ?? 'recoup',
        command:
          inline ??
          listed
            ?.trim()
            .split(/\n *- |^- /)
            .filter(Boolean) ??
          [],
        healthScript: /test: \[CMD, node, -e, "(.*)"\]/.exec(block)?.[1] ?? null,
        healthCheck: healthCheckOf(block),
      }
    })
}

function healthCheckOf(block: string): string[] {
  const [, words = '', script] = /test: \[CMD, (.*?)(?:, "(.*)")?\]$/m.exec(block) ?? []
  return [...words.split(', '), ...(script ? [script] : [])]
}
