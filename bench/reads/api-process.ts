import { serveOrders } from '../runner/child.ts'

/** Process that is the API, as `npm run api` starts it. It ends with the benchmark. */
await serveOrders(async ({ env }: { env: Record<string, string> }) => {
  Object.assign(process.env, env)
  await import('../../api/main.ts')
})
