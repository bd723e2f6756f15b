import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Whether this process could listen on it. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}

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

/** @throws a sentence that names the port and the variable that moves it */
export async function requireFree(port: number, variable: string, what: string): Promise<void> {
  if (!(await isFree(port)))
    throw new Error(
      `Port ${port}, wanted for ${what}, is taken: stop what listens there or set ${variable} to another port`,
    )
}
