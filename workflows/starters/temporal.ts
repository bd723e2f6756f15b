import { Client, Connection } from '@temporalio/client'

/** Connection security of a remote server: encryption and credentials. */
export interface TemporalSecurity {
  tls?: boolean
  apiKey?: string
}

/** A client that connects on first use, so that its process starts without Temporal. */
export function connectLazily(address: string, namespace: string, security: TemporalSecurity = {}): Client {
  return new Client({ connection: Connection.lazy({ address, connectTimeout: '5s', ...security }), namespace })
}

/** Address of Temporal, and its security. */
export interface TemporalAddress {
  address: string
  namespace: string
  security: TemporalSecurity
}
