/** Who starts polls: a schedule for each integration, or shards that lease what is due. */
export type PollingMode = 'schedules' | 'dispatch'

/** The operator's choice; `auto`: by the rate of polls. */
export const POLLING_CHOICES = ['schedules', 'dispatch', 'auto'] as const
export type PollingChoice = (typeof POLLING_CHOICES)[number]

/** Polls per second above which `auto` dispatches: a namespace of Temporal starts 30 scheduled runs a second. */
const DISPATCH_ABOVE = 20
/** And below which it goes back to schedules. In between nothing moves. */
const SCHEDULES_BELOW = 15

/** @param dispatched some integrations are polled by shards now */
export function chooseMode(
  choice: PollingChoice,
  { count, dispatched, intervalSeconds }: { count: number; dispatched: boolean; intervalSeconds: number },
): PollingMode {
  if (choice !== 'auto') return choice
  const perSecond = count / intervalSeconds
  if (perSecond > DISPATCH_ABOVE) return 'dispatch'
  if (perSecond < SCHEDULES_BELOW) return 'schedules'
  return dispatched ? 'dispatch' : 'schedules'
}
