import { Client, Connection } from '@temporalio/client'

/** How a server that is not on the same machine is met: the line, and who we are. */
export interface TemporalSecurity {
  tls?: boolean
  apiKey?: string
}

/** A client that connects on first use, so that its process starts without Temporal. */
export function connectLazily(address: string, namespace: string, security: TemporalSecurity = {}): Client {
  return new Client({ connection: Connection.lazy({ address, connectTimeout: '5s', ...security }), namespace })
}

/** Where Temporal is, and how it is met. */
export interface TemporalAddress {
  address: string
  namespace: string
  security: TemporalSecurity
}
