import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/** Whether this process could listen on the port. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}

/**
 * Consecutive free ports below the range of outgoing connections, which could otherwise take a port between check and
 * use. As long as this process lives, no other process gets them from this function.
 */
export async function quietPorts(count: number): Promise<number[]> {
  for (;;) {
    const first = randomInt(15_000, 31_000 - count)
    const ports = Array.from({ length: count }, (_, index) => first + index)
    if ((await Promise.all(ports.map(reserve))).every(Boolean)) return ports
  }
}

/**
 * Whether the port is free and was not reserved before. The reservation is a UDP socket of the same number: it leaves
 * the TCP port free, and the kernel gives it back however this process ends.
 */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.once('error', () => resolve(false))
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, async () => {
      socket.unref()
      const free = await isFree(port)
      if (!free) socket.close()
      resolve(free)
    })
  })
}

/** @throws an Error that names the port and the variable that changes it */
export async function requireFree(port: number, variable: string, what: string): Promise<void> {
  if (!(await isFree(port)))
    throw new Error(
      `Port ${port}, wanted for ${what}, is taken: stop what listens there or set ${variable} to another port`,
    )
}
