import { randomInt } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
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
 * use. No other process gets them from this function while this one runs.
 */
export async function quietPorts(count: number): Promise<number[]> {
  for (;;) {
    const first = randomInt(15_000, 31_000 - count)
    const ports = Array.from({ length: count }, (_, index) => first + index)
    const reserved = await Promise.all(ports.map(reserve))
    if (reserved.every(Boolean)) return ports
    for (const reservation of reserved) reservation?.close()
  }
}

/**
 * The reservation of a port, null if the port is in use or reserved. It is a UDP socket of the same number: the TCP port
 * stays free, and the kernel releases the socket however this process ends.
 */
function reserve(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.once('error', () => resolve(null))
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, async () => {
      socket.unref()
      const free = await isFree(port)
      if (!free) socket.close()
      resolve(free ? socket : null)
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
