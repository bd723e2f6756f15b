import { Client, Connection } from '@temporalio/client'

/** A client that connects on first use, so that its process starts without Temporal. */
export function connectLazily(address: string, namespace: string): Client {
  return new Client({ connection: Connection.lazy({ address, connectTimeout: '5s' }), namespace })
}
