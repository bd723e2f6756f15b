import { serveOrders } from '../runner/child.ts'

/** Process that is a worker, as `npm run worker` starts it. It ends with the benchmark. */
await serveOrders(async ({ env }: { env: Record<string, string> }) => {
  Object.assign(process.env, env)
  // It returns when the worker ends.
  void import('../../workflows/worker/main.ts')
})
