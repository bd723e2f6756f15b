import { z } from 'zod'
import { apiVariables } from '../api/config.ts'
import { cliVariables } from '../cli/config.ts'
import { localVariables } from '../local/config.ts'
import { SIMULATORS } from '../simulators/registry.ts'
import { workerVariables } from '../workflows/worker/config.ts'

type Process = 'npm start' | 'api' | 'worker' | 'recoup'

const read: Record<Process, z.ZodRawShape> = {
  'npm start': localVariables,
  api: apiVariables,
  worker: workerVariables,
  recoup: cliVariables,
}

/** The meaning of each variable. The generation fails if one is missing here. */
const MEANING: Record<string, string> = {
  RECOUP_APP_DATABASE_URL:
    'Address of Postgres for api and worker. `migrate` creates its role, which may only read and write rows. Set it together with your own `DATABASE_URL`.',
  DATABASE_URL: 'Postgres, `postgres://user:password@host:port/database`. `npm start` starts its own if it is not set.',
  TEMPORAL_ADDRESS: 'Temporal, `host:port`. `npm start` starts its own if it is not set.',
  TEMPORAL_NAMESPACE:
    'Namespace at Temporal. It needs the search attributes in [operating.md](operating.md#3-search-attributes-at-temporal).',
  TEMPORAL_TLS: 'Whether the connection to Temporal uses TLS.',
  TEMPORAL_API_KEY: 'API key for Temporal, for example Temporal Cloud. The connection then uses TLS.',
  TEMPORAL_CLI_PATH:
    'Temporal CLI that `npm start` runs. By default it uses the one on the `PATH` or in the cache, or downloads or builds one.',
  RECOUP_ENVIRONMENT: 'Environment of tokens, integrations and database.',
  RECOUP_ENCRYPTION_KEYS:
    'Keys that seal secrets and personal data: `id:base64 of 32 bytes`, comma-separated. The first seals, all open. `npm start` creates one.',
  RECOUP_ENCRYPTION_KEYS_FILE: 'File with the keys, instead of `RECOUP_ENCRYPTION_KEYS`.',
  RECOUP_ENCRYPTION_KEYS_COMMAND:
    'Shell command that prints the keys, instead of `RECOUP_ENCRYPTION_KEYS`. It runs once at the start, for example to let a KMS decrypt them.',
  RECOUP_API_PORT: 'Port of the REST interface.',
  RECOUP_API_HOST: 'Address that the API listens on.',
  RECOUP_API_METRICS_PORT:
    "Port of the API's `/health`, `/ready` and `/metrics`, for operators only. Keep it off the public network.",
  RECOUP_API_METRICS_HOST: 'Address that `RECOUP_API_METRICS_PORT` listens on.',
  RECOUP_ACCOUNT_LIMIT_PER_MINUTE: 'Requests per minute of all credentials of an account, per process.',
  RECOUP_STRANGER_LIMIT_PER_MINUTE:
    'Requests per minute without a valid credential or signature, per client address and process. Further ones get 429, with a delay.',
  RECOUP_CONNECTIONS_PER_ADDRESS:
    'Concurrent connections of one client address, per process, and concurrent requests of one client behind a trusted proxy. Further ones get 429. The limit of a process is sixteen times as many.',
  RECOUP_PUBLIC_URL:
    'Address at which people open the console, such as `https://recoup.example.com`. Without it the console works on loopback addresses only. Sign-in needs https elsewhere.',
  RECOUP_TRUSTED_PROXIES:
    'Addresses and CIDR ranges of your load balancers, comma-separated. The client is the rightmost other address in `X-Forwarded-For`. Without it all clients behind a load balancer share the limits of one address.',
  RECOUP_WORKER_PORT: "Port of the worker's `/health`, `/ready` and `/metrics`.",
  RECOUP_WORKER_HOST: 'Address that the worker listens on.',
  RECOUP_POSTGRES_PORT: 'Port of the embedded Postgres.',
  RECOUP_TEMPORAL_PORT: 'Port of the embedded Temporal.',
  RECOUP_TEMPORAL_UI_PORT: "Port of the embedded Temporal's UI.",
  RECOUP_SIMULATORS_PORT: 'Port of the control interface of the simulated PSPs. The PSPs use the ports above it.',
  RECOUP_RECEIVER_PORT: 'Port of the receiver of webhooks, which prints each event.',
  RECOUP_DATA_FOLDER: 'Folder with all data of `npm start`.',
  RECOUP_RATE_LIMIT_PER_MINUTE:
    'Requests per minute of a credential, over all API processes. Also genuine notifications per minute to one integration, per process.',
  RECOUP_POLL_INTERVAL_SECONDS: 'Seconds between two polls of one integration.',
  RECOUP_POLLING:
    'Who starts polls: a Temporal schedule for each integration, shards that lease what is due, or the one that fits the rate. Set the same in API and worker. See [operating.md](operating.md#polling).',
  RECOUP_POLL_SHARDS: 'Number of shards, when shards poll.',
  RECOUP_LOG_LEVEL: 'Lowest level of log lines that are written.',
  RECOUP_COMMAND_TIMEOUT_MS: 'Time limit of one attempt of a command at a PSP.',
  RECOUP_HEARTBEAT_MS: 'Heartbeat timeout of a poll: afterwards another worker continues it.',
  RECOUP_RECHECK_MS: 'First delay before a refused credential is checked again. It doubles, up to 12 hours.',
  RECOUP_RETRY_MS: 'First delay between two attempts at a PSP. It doubles.',
  RECOUP_FILE_PROCESSES:
    'Files that an API or worker process parses concurrently, each in a separate process with at most 512 MB. One account uses at most half of them.',
  RECOUP_WEBHOOK_ALLOWED_NETWORKS:
    'Networks inside yours that webhooks may be sent to, CIDR, comma-separated, for example `10.1.0.0/16`. Public addresses are always allowed, metadata services of clouds never. Set the same in API and worker.',
  RECOUP_WEBHOOK_PROXY:
    'Proxy that webhooks go through, `http://user:password@host:port`. It must support CONNECT; it resolves names, so it must refuse inner addresses itself.',
  RECOUP_WEBHOOK_SLOTS: 'Endpoints that a worker sends webhooks to concurrently. 0: this worker sends none.',
  RECOUP_WEBHOOK_TIMEOUT_MS: 'Time limit of one webhook request.',
  RECOUP_SMTP_URL:
    'Server that hands mail on, `smtp://user:password@host:587` (STARTTLS) or `smtps://…:465`. With it the contact of a merchant gets a mail when a webhook endpoint was disabled.',
  RECOUP_MAIL_FROM: 'Sender of these mails. Set it together with `RECOUP_SMTP_URL`.',
  RECOUP_PSP_REQUESTS_PER_SECOND:
    'Requests a second that Recoup sends to one account of a PSP, instead of its own limit in [capabilities.md](capabilities.md), for example `stripe=20,paypal=8`. The other programs of that account share what the PSP allows.',
  RECOUP_EVENT_DAYS: 'Days that the event log is kept. See [events.md](events.md).',
  RECOUP_SHUTDOWN_GRACE_SECONDS: 'Time for running work to finish after SIGTERM.',
  RECOUP_STICKY_SECONDS:
    "Longest delay of a workflow's next step after its worker was killed; the SDK's 10 seconds by default.",
  RECOUP_WORKFLOW_BUNDLE:
    'File with the workflow bundle. Default: the one that `npm run build` made; from TypeScript the worker bundles at its start.',
  RECOUP_TOKEN_MAX_DAYS: 'Longest lifetime of a new bearer token, in days. Its default lifetime is 90 days.',
  RECOUP_OPERATOR: 'Name of the operator. `--operator` overrides it; the default is the name of the machine’s user.',
}

interface Property {
  type?: string
  enum?: unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
}

/** `docs/environment.md`. @throws when a variable of a process has no description here, or the other way round */
export function environmentDocument(): string {
  return [
    '# Environment',
    '',
    'Made by `npm run generate` from the configuration of each process. Each process checks its variables at its start',
    'and names what is wrong. A cell is the default in that process; an empty cell means that it does not read the',
    'variable.',
    '',
    environmentTable(),
  ].join('\n')
}

function environmentTable(): string {
  const processes = Object.keys(read) as Process[]
  const schemas = processes.map((name) => ({
    name,
    schema: z.toJSONSchema(z.object(read[name]), { io: 'input', unrepresentable: 'any' }) as {
      properties: Record<string, Property>
      required?: string[]
    },
  }))
  const names = [...new Set(schemas.flatMap(({ schema }) => Object.keys(schema.properties)))]
  const silent = names
    .filter((name) => !MEANING[name])
    .concat(Object.keys(MEANING).filter((name) => !names.includes(name)))
  if (silent.length > 0) throw new Error(`scripts/environment.ts and the processes differ in ${silent.join(', ')}`)
  const rows = names.map((name) => {
    const cells = schemas.map(({ schema }) => {
      const property = schema.properties[name]
      if (!property) return ''
      if (property.default !== undefined) return `\`${property.default}\``
      return schema.required?.includes(name) ? 'required' : 'optional'
    })
    const property = schemas.find(({ schema }) => schema.properties[name])?.schema.properties[name]
    return `| \`${name}\` | ${cells.join(' | ')} | ${MEANING[name]}${bounds(property)} |`
  })
  // No process has a default for them.
  const moved = SIMULATORS.map(({ baseUrlVariable: name }) => {
    return `| \`${name}\` | optional |  | optional |  | Address of this PSP instead of its public one; sandbox only. \`npm start\` then does not simulate the PSP. |`
  })
  return [
    `| variable | ${processes.join(' | ')} | meaning |`,
    `|---|${processes.map(() => '---|').join('')}---|`,
    ...rows,
    ...moved,
    '',
  ].join('\n')
}

function bounds(property: Property | undefined): string {
  if (property?.enum) return ` One of ${property.enum.map((value) => `\`${value}\``).join(', ')}.`
  const { minimum, maximum } = property ?? {}
  if (minimum === undefined) return ''
  return maximum === undefined || maximum > 1e9 ? ` At least ${minimum}.` : ` From ${minimum} to ${maximum}.`
}
