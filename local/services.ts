import type { LocalConfig } from './config.ts'
import type { DataFolder } from './data-folder.ts'
import type { SimulatedPsp } from './psps.ts'
import { scriptArguments } from './run-script.ts'
import type { ServiceDefinition } from './service.ts'
import type { StackFile } from './stack-file.ts'

/** Seconds that running activities get on Ctrl-C; everything has to end within ten. */
export const GRACE_SECONDS = 4

const at = (port: number, path: string) => `http://127.0.0.1:${port}${path}`

export function simulatorsService(config: LocalConfig, folder: DataFolder, psps: SimulatedPsp[]): ServiceDefinition {
  const control = config.RECOUP_SIMULATORS_PORT
  const ports = [control, ...psps.map((psp) => control + psp.portOffset)]
  return {
    name: 'simulators',
    args: scriptArguments('local/simulators.ts'),
    ports: ports.map((port) => ({ port, variable: 'RECOUP_SIMULATORS_PORT' })),
    readyUrl: at(control, '/health'),
    env: {
      RECOUP_SIMULATORS: psps.map((psp) => psp.definition.source).join(','),
      RECOUP_SIMULATORS_PORT: String(control),
      RECOUP_SIMULATORS_FOLDER: folder.simulators,
    },
  }
}

/** API and worker with their variables; the rest comes from this process' environment. */
export function ownServices(
  config: LocalConfig,
  given: {
    databaseUrl: string
    temporalAddress: string
    keys: string
    simulators: StackFile['simulators']
    workflowBundle: string
  },
  psps: SimulatedPsp[],
): { api: ServiceDefinition; worker: ServiceDefinition } {
  const moved = psps.map((psp) => [psp.addressVariable, given.simulators[psp.definition.source]?.url ?? ''])
  const env = {
    DATABASE_URL: given.databaseUrl,
    TEMPORAL_ADDRESS: given.temporalAddress,
    TEMPORAL_NAMESPACE: config.TEMPORAL_NAMESPACE,
    RECOUP_ENVIRONMENT: config.RECOUP_ENVIRONMENT,
    RECOUP_ENCRYPTION_KEYS: given.keys,
    // The source is read once, here.
    RECOUP_ENCRYPTION_KEYS_FILE: '',
    RECOUP_ENCRYPTION_KEYS_COMMAND: '',
    RECOUP_API_PORT: String(config.RECOUP_API_PORT),
    RECOUP_API_METRICS_PORT: String(config.RECOUP_API_METRICS_PORT),
    RECOUP_WORKER_PORT: String(config.RECOUP_WORKER_PORT),
    RECOUP_POLL_INTERVAL_SECONDS: String(config.RECOUP_POLL_INTERVAL_SECONDS),
    RECOUP_POLLING: config.RECOUP_POLLING,
    RECOUP_SHUTDOWN_GRACE_SECONDS: String(GRACE_SECONDS),
    RECOUP_WEBHOOK_ALLOWED_NETWORKS: allowedNetworks(config),
    ...Object.fromEntries(moved),
  }
  return {
    api: {
      name: 'api',
      args: scriptArguments('api/main.ts'),
      ports: [
        { port: config.RECOUP_API_PORT, variable: 'RECOUP_API_PORT' },
        { port: config.RECOUP_API_METRICS_PORT, variable: 'RECOUP_API_METRICS_PORT' },
      ],
      readyUrl: at(config.RECOUP_API_PORT, '/ready'),
      env,
    },
    worker: {
      name: 'worker',
      args: scriptArguments('workflows/worker/main.ts'),
      ports: [{ port: config.RECOUP_WORKER_PORT, variable: 'RECOUP_WORKER_PORT' }],
      readyUrl: at(config.RECOUP_WORKER_PORT, '/ready'),
      env: { ...env, RECOUP_WORKFLOW_BUNDLE: given.workflowBundle },
    },
  }
}

/** Whether there is a receiver of webhooks: it has no certificate, which production requires. */
export const hasReceiver = (config: LocalConfig): boolean => config.RECOUP_ENVIRONMENT === 'sandbox'

export const receiverUrl = (config: LocalConfig): string => at(config.RECOUP_RECEIVER_PORT, '/')

function allowedNetworks(config: LocalConfig): string {
  const own = config.RECOUP_WEBHOOK_ALLOWED_NETWORKS || []
  return [own, hasReceiver(config) ? '127.0.0.1/32' : []].flat().join(',')
}
