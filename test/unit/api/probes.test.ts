import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ApiDeps } from '../../../api/context.ts'
import { probes } from '../../../api/http/probes.ts'

const pendingMigrations = vi.hoisted(() => vi.fn(async () => [] as string[]))
vi.mock('../../../db/core/migrate.ts', () => ({ pendingMigrations }))
afterEach(() => vi.restoreAllMocks())

describe('/ready', () => {
  it('asks Postgres once a second, however many ask', async () => {
    const app = probes({} as ApiDeps)
    app.onError((_, c) => c.text('', 503))
    let now = 5
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const asked = async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.request('/ready')))
      return [...new Set(answers.map((answer) => answer.status))]
    }
    expect(await asked()).toEqual([200])
    expect(pendingMigrations).toHaveBeenCalledTimes(1)
    now += 999
    expect(await asked()).toEqual([200])
    expect(pendingMigrations).toHaveBeenCalledTimes(1)
    now += 1
    pendingMigrations.mockRejectedValueOnce(new Error('away'))
    expect(await asked()).toEqual([503])
    expect(pendingMigrations).toHaveBeenCalledTimes(2)
  })
})
