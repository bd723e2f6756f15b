import { COMMAND_STATES, WORKFLOWS } from '../../workflows/contract.ts'
import { type Command, type CommandContext, UsageError } from '../command.ts'

export interface View {
  view: string
  shows: string
  /** For Temporal's list of workflows. */
  query: string
}

/** A poll without a result for so long is retried, or reads a long history. */
const LONG_POLL_MS = 10 * 60 * 1000

const any = (values: readonly string[]) => `(${values.map((value) => `"${value}"`).join(', ')})`
const COMMANDS = `WorkflowType IN ${any([WORKFLOWS.acceptChargeback, WORKFLOWS.submitEvidence])}`
const POLLS = `WorkflowType IN ${any([WORKFLOWS.pollIntegration, WORKFLOWS.pollShard])}`
const RUNNING = 'ExecutionStatus = "Running"'

/** What operators look for in the Temporal UI. Queries have no relative time, so `now` is part of one. */
export function temporalViews(now: Date): View[] {
  const longAgo = new Date(now.getTime() - LONG_POLL_MS).toISOString()
  return [
    {
      view: 'commands open',
      shows: 'acceptances and evidence submissions that run',
      query: `${COMMANDS} AND ${RUNNING}`,
    },
    {
      view: 'due soon',
      shows: 'those of them that are close to their due date',
      query: `${COMMANDS} AND ${RUNNING} AND CommandState = "${COMMAND_STATES.dueSoon}"`,
    },
    {
      view: 'needs attention',
      shows:
        'commands whose run ended without a known outcome; `job list --needs-attention` has those still unresolved',
      query: `${COMMANDS} AND (CommandState = "${COMMAND_STATES.needsAttention}" OR ExecutionStatus IN ${any(['Terminated', 'TimedOut'])})`,
    },
    {
      view: 'polls failing',
      shows: 'polls that failed, or had run for ten minutes by now: retried, or a long history',
      query: `${POLLS} AND (ExecutionStatus IN ${any(['Failed', 'TimedOut'])} OR (${RUNNING} AND StartTime < "${longAgo}"))`,
    },
  ]
}

function linkTo(ui: string, namespace: string, query: string): string {
  const list = `${ui.replace(/\/$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`
  return `${list}?query=${encodeURIComponent(query)}`
}

/** @throws UsageError when nothing says where the UI is */
function uiOf({ given, temporal, temporalUi }: CommandContext): string {
  const ui = given.ui ?? temporalUi ?? (/\.tmprl\.cloud(:\d+)?$/.test(temporal.address) && 'https://cloud.temporal.io')
  if (!ui) throw new UsageError("--ui is missing: the address of Temporal's UI, e.g. https://temporal.example")
  if (!/^https?:\/\/[^\s?#]+$/.test(ui) || !URL.canParse(ui))
    throw new UsageError(`--ui must be an http or https address without a query, not "${ui}"`)
  return ui
}

type LinkedView = View & { link: string }

export const temporal: Record<string, Command> = {
  views: {
    summary: 'print links that open what operators look for in the Temporal UI',
    options: { 'ui?': "address of Temporal's UI; that of `npm start` or Temporal Cloud by default" },
    async run(context): Promise<LinkedView[]> {
      const ui = uiOf(context)
      const { namespace } = context.temporal
      return temporalViews(new Date()).map((view) => ({ ...view, link: linkTo(ui, namespace, view.query) }))
    },
    // Not a table: a link that is broken into lines can't be opened.
    text: (views) => (views as LinkedView[]).map(({ view, shows, link }) => `${view}: ${shows}\n${link}`).join('\n\n'),
  },
}
