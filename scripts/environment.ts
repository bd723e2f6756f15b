import { z } from 'zod'
import { apiVariables } from '../api/config.ts'
import { cliVariables } from '../cli/config.ts'
import { localVariables } from '../local/config.ts'
import { workerVariables } from '../workflows/worker/config.ts'

type Process = 'npm start' | 'api' | 'worker' | 'recoup'

const read: Record<Process, z.ZodRawShape> = {
  'npm start': localVariables,
  api: apiVariables,
  worker: workerVariables,
  recoup: cliVariables,
}

/** What each variable is for. A variable of a process that is missing here stops the generation. */
const MEANING: Record<string, string> = {
  RECOUP_APP_DATABASE_URL:
    'Postgres as api and worker use it: `migrate` makes its role, which may read and write rows and no more. Needed with a `DATABASE_URL` of yours.',
  DATABASE_URL:
    'Postgres, `postgres://user:password@host:port/database`. `npm start` brings its own when it is not set.',
  TEMPORAL_ADDRESS: 'Temporal, `host:port`. `npm start` brings its own when it is not set.',
  TEMPORAL_NAMESPACE: 'Namespace at Temporal; it needs the search attributes that `docs/operating.md` lists.',
  TEMPORAL_TLS: 'Whether the line to Temporal is encrypted.',
  TEMPORAL_API_KEY: 'Key of a Temporal that asks for one, as Temporal Cloud does; the line is encrypted then.',
  TEMPORAL_CLI_PATH:
    'The Temporal CLI that `npm start` runs; else the one on the `PATH`, in the cache, or one that it fetches or builds.',
  RECOUP_ENVIRONMENT: 'Environment that tokens and integrations belong to.',
  RECOUP_ENCRYPTION_KEYS:
    'Keys that seal secrets and personal data: `id:base64 of 32 bytes`, comma-separated. The first seals, all open. `npm start` makes one.',
  RECOUP_ENCRYPTION_KEYS_FILE: 'File with the keys, instead of `RECOUP_ENCRYPTION_KEYS`.',
  RECOUP_ENCRYPTION_KEYS_COMMAND:
    'Shell command that prints the keys, instead of `RECOUP_ENCRYPTION_KEYS`; run once at the start, e.g. to have a KMS open them.',
  RECOUP_API_PORT: 'Port of the REST interface.',
  RECOUP_API_HOST: 'Address that the API listens on.',
  RECOUP_API_METRICS_PORT:
    "Port of the API's own `/health`, `/ready`, `/metrics`, for operators only. Keep it off the public network.",
  RECOUP_API_METRICS_HOST: 'Address that `RECOUP_API_METRICS_PORT` listens on.',
  RECOUP_ACCOUNT_LIMIT_PER_MINUTE: 'Requests a minute of all credentials of an account together, per process.',
  RECOUP_STRANGER_LIMIT_PER_MINUTE:
    'Requests a minute without a good credential or signature, per client address and process; the next ones are answered 429, and late.',
  RECOUP_CONNECTIONS_PER_ADDRESS:
    'Connections of one client address at once, per process, and requests of one client behind a trusted proxy; the next ones are answered 429. A process takes sixteen times as many in all.',
  RECOUP_TRUSTED_PROXIES:
    'Addresses and CIDR ranges of your balancers, comma-separated: the client is the rightmost other address in `X-Forwarded-For`. Without it all clients behind a balancer share the budgets of one address.',
  RECOUP_WORKER_PORT: "Port of the worker's `/health`, `/ready`, `/metrics`.",
  RECOUP_WORKER_HOST: 'Address that the worker listens on.',
  RECOUP_POSTGRES_PORT: 'Port of the embedded Postgres.',
  RECOUP_TEMPORAL_PORT: 'Port of the embedded Temporal.',
  RECOUP_TEMPORAL_UI_PORT: "Port of the embedded Temporal's UI.",
  RECOUP_SIMULATORS_PORT: 'Port of the control surfaces of the simulated PSPs; each PSP has one of the ports above it.',
  RECOUP_DATA_FOLDER: 'Where `npm start` keeps everything.',
  RECOUP_RATE_LIMIT_PER_MINUTE:
    'Requests a minute per credential, over all API processes; per process also genuine deliveries to one notification address.',
  RECOUP_POLL_INTERVAL_SECONDS: 'Seconds between two polls of one integration.',
  RECOUP_LOG_LEVEL: 'Least important log line that is written.',
  RECOUP_COMMAND_TIMEOUT_MS: 'Longest single attempt of a command at a PSP.',
  RECOUP_HEARTBEAT_MS: 'Silence after which a poll slice is given to another worker.',
  RECOUP_RECHECK_MS: 'First pause before a refused credential is checked again; doubles up to 12 hours.',
  RECOUP_RETRY_MS: 'First pause between two attempts at a PSP; doubles.',
  RECOUP_FILE_PROCESSES:
    'Files that an API or worker process reads at once, each in a process of its own with at most 512 MB; one account gets half of them.',
  RECOUP_SHUTDOWN_GRACE_SECONDS: 'How long running work may take to end after SIGTERM.',
  RECOUP_STICKY_SECONDS:
    "How long a killed worker may delay the next step of its runs; the SDK's 10 seconds when not set.",
  RECOUP_WORKFLOW_BUNDLE:
    'File with the bundled workflow code. Default: the one that `npm run build` made; from TypeScript the worker bundles it at its start.',
  RECOUP_TOKEN_MAX_DAYS: 'Days that a new bearer token may last; 90 is what it lasts unless told.',
  RECOUP_OPERATOR:
    'Name of who acts by the command line; `--operator`, where given, or the name of the machine’s user.',
  RECOUP_SECOND_PERSON:
    'What one operator asks for and another one approves: `jobs` (`job resolve`), `keys` (`key …`), comma-separated.',
  CRASH_AT: 'Fault tests only: moment at which the process ends itself. Refused in production.',
  HOLD_AT: 'Fault tests only: folder whose files name the moments that work waits at. Refused in production.',
}

/** Names the adapters read by; none of the processes has a default for them. */
const ADDRESSES = ['STRIPE_API_URL', 'PAYPAL_API_URL', 'BRAINTREE_API_URL', 'ADYEN_API_URL', 'SANDBOX_API_URL']

interface Property {
  type?: string
  enum?: unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
}

/** `docs/environment.md`. @throws when a process reads a variable that has no meaning here, or the other way round */
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
  const moved = ADDRESSES.map((name) => {
    return `| \`${name}\` | optional |  | optional |  | Where this PSP answers instead of its public address; sandbox only. With it \`npm start\` simulates no such PSP. |`
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
