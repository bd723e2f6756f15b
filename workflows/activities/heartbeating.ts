import { Context } from '@temporalio/activity'

/** Heartbeats during one long step, so that a dead worker is noticed long before the activity times out. */
export function heartbeating(): Disposable {
  const context = Context.current()
  const every = Math.max(250, (context.info.heartbeatTimeoutMs ?? 30_000) / 3)
  const timer = setInterval(() => context.heartbeat(), every)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
