import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const open = new WeakMap<Socket, Set<() => void>>()

/**
 * Calls once, when the request has ended. A response that waits behind another one (pipelining) does not close with its
 * connection, so the connection is observed as well.
 */
export function onRequestEnd({ socket }: IncomingMessage, response: ServerResponse, call: () => void): void {
  const others = open.get(socket) ?? new Set()
  if (!open.has(socket)) {
    open.set(socket, others)
    socket.once('close', () => {
      for (const end of others) end()
    })
  }
  const end = () => {
    if (others.delete(end)) call()
  }
  others.add(end)
  response.once('close', end)
}
