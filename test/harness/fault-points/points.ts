const EFFECT = [
  'before_probe',
  'before_psp',
  'before_call',
  'after_psp',
  'before_confirm',
  'before_record',
  'during_record',
  'after_record',
] as const

/** Every point between two steps of the product at which a test can hold or kill it. No product code names one. */
export const FAULT_POINTS = [
  'dispatch.before_claim',
  'dispatch.before_start',
  'dispatch.after_start',
  ...EFFECT.map((name) => `accept.${name}` as const),
  'submit.before_plan',
  'submit.after_plan',
  'submit.between_uploads',
  'submit.before_upload',
  'submit.after_upload',
  'submit.before_stage',
  'submit.before_stage_call',
  'submit.after_stage',
  ...EFFECT.map((name) => `submit.${name}` as const),
  'poll.before_next_page',
  'poll.before_page',
  'poll.during_page',
  'poll.before_aside',
  'poll.between_halves',
  'poll.between_pages',
  'poll.before_end',
  'scope.before_slice',
  'rotate.before_check',
  'rotate.after_check',
  'rotate.during_swap',
  'rotate.after_end',
  'build.before_start',
  'build.after_start',
  'build.before_limits',
  'build.before_render',
  'build.before_store',
  'build.during_store',
  'build.after_store',
  'automatic.before_request',
  'automatic.during_request',
] as const

export type FaultPoint = (typeof FAULT_POINTS)[number]

/**
 * Called at each fault point that work reaches; the work continues when it returns. `about` is the id of the chargeback
 * or of the integration; empty if the work is about no single one.
 */
export type AtFaultPoint = (point: FaultPoint, about: string) => Promise<void>
