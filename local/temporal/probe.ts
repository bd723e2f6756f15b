import { connect } from 'node:http2'

/**
 * Whether a Temporal server answers at `address` and has the namespace. One bare gRPC call, so that the launcher needs
 * not load a client; anything else that listens there answers false.
 */
export function temporalAnswers(address: string, namespace: string, timeoutMs = 1_000): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`http://${address}`)
    const settle = (answer: boolean) => {
      clearTimeout(timer)
      session.destroy()
      resolve(answer)
    }
    const timer = setTimeout(settle, timeoutMs, false)
    session.on('error', () => settle(false))
    const stream = session.request({
      ':method': 'POST',
      ':path': '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    stream.on('error', () => settle(false))
    // A successful call has its status in the trailers, an immediate failure in the headers.
    const onStatus = (headers: Record<string, unknown>) => {
      if (headers['grpc-status'] !== undefined) settle(headers['grpc-status'] === '0')
    }
    stream.on('response', onStatus)
    stream.on('trailers', onStatus)
    stream.on('end', () => settle(false))
    stream.resume()
    stream.end(frame(namespace))
  })
}

/** DescribeNamespaceRequest{namespace = 1} in gRPC's framing: flag, length, message. */
function frame(namespace: string): Buffer {
  const name = Buffer.from(namespace)
  const message = Buffer.concat([Buffer.from([0x0a, name.length]), name])
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}
