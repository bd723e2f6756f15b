import { startTestServers } from './servers.ts'

/** `npx vitest` alone starts the servers, too; under `npm test` they are running already. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.RECOUP_TEST_POSTGRES_URL) return undefined
  const servers = await startTestServers()
  Object.assign(process.env, servers.env)
  return () => servers[Symbol.asyncDispose]()
}
