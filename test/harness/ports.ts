import { randomInt } from 'node:crypto'
import { isFree } from '../../local/ports.ts'

/**
 * Ports in a row that nobody listens on, below the range that outgoing connections take theirs from: those may take a
 * port between our looking and our listening.
 */
export async function quietPorts(count: number): Promise<number[]> {
  for (;;) {
    const first = randomInt(15_000, 31_000 - count)
    const ports = Array.from({ length: count }, (_, index) => first + index)
    if ((await Promise.all(ports.map((port) => isFree(port)))).every(Boolean)) return ports
  }
}
