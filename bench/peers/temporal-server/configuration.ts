export interface Places {
  /** Of the Postgres server; its user may create databases. */
  postgresUrl: string
  databases: Record<'temporal' | 'visibility', string>
  /** Eight ports: gRPC and membership of each service. */
  ports: readonly number[]
  metricsPort: number
  dynamicFile: string
}

const SERVICES = ['frontend', 'history', 'matching', 'worker'] as const
/** As Temporal's own examples for a small cluster. */
const SHARDS = 4
const CONNECTIONS = 20

/**
 * Configuration of one server that has all four services. YAML reads JSON.
 * https://docs.temporal.io/references/configuration
 */
export function configuration({ postgresUrl, databases, ports, metricsPort, dynamicFile }: Places): string {
  const { host, username, password } = new URL(postgresUrl)
  const store = (databaseName: string) => ({
    sql: {
      ...{ pluginName: 'postgres12', databaseName, connectAddr: host, connectProtocol: 'tcp' },
      ...{ user: decodeURIComponent(username), password: decodeURIComponent(password) },
      ...{ maxConns: CONNECTIONS, maxIdleConns: CONNECTIONS, maxConnLifetime: '1h' },
    },
  })
  const rpc = (at: number) => ({
    rpc: { grpcPort: ports[at], membershipPort: ports[at + SERVICES.length], bindOnLocalHost: true },
  })
  return JSON.stringify({
    log: { stdout: true, level: 'warn' },
    persistence: {
      ...{ defaultStore: 'default', visibilityStore: 'visibility', numHistoryShards: SHARDS },
      datastores: { default: store(databases.temporal), visibility: store(databases.visibility) },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' },
      metrics: { prometheus: { timerType: 'histogram', listenAddress: `127.0.0.1:${metricsPort}` } },
    },
    services: Object.fromEntries(SERVICES.map((name, at) => [name, rpc(at)])),
    clusterMetadata: {
      ...{ enableGlobalNamespace: false, failoverVersionIncrement: 10 },
      ...{ masterClusterName: 'active', currentClusterName: 'active' },
      clusterInformation: {
        active: {
          ...{ enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: `127.0.0.1:${ports[0]}` },
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamicFile, pollInterval: '60s' },
  })
}

/** The same as of the dev server. */
export const DYNAMIC = JSON.stringify({
  'matching.useNewMatcher': [{ value: true }],
  'matching.enableFairness': [{ value: true }],
})
