import pg from 'pg'

/** The restricted role that API and worker work as. */
const ROLE = 'recoup_bench_app'

export const asApp = (url: string): string => Object.assign(new URL(url), { username: ROLE, password: 'recoup' }).href

/** Drops the role at the end of the scope: after the databases that it has rights in. */
export function appRole(serverUrl: string): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      const owner = new pg.Client(serverUrl)
      await owner.connect()
      await owner.query(`drop role if exists ${ROLE}`).finally(() => owner.end())
    },
  }
}
