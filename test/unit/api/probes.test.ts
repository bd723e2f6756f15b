import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ApiDeps } from '../../../api/context.ts'
import { probes } from '../../../api/http/probes.ts'

const pendingMigrations = vi.fn(async () => [] as string[])
afterEach(() => vi.restoreAllMocks())

describe('/ready', () => {
  it('queries Postgres once a second, however many requests arrive', async () => {
    const app = probes({} as ApiDeps, pendingMigrations)
    app.onError((_, c) => c.text('', 503))
    let now = 5
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const statuses = async () => {
      const responses = await Promise.all(Array.from({ length: 20 }, () => app.request('/ready')))
      return [...new Set(responses.map((response) => response.status))]
    }
    expect(await statuses()).toEqual([200])
    expect(pendingMigrations).toHaveBeenCalledTimes(1)
    now += 999
    expect(await statuses()).toEqual([200])
    expect(pendingMigrations).toHaveBeenCalledTimes(1)
    now += 1
    pendingMigrations.mockRejectedValueOnce(new Error('unavailable'))
    expect(await statuses()).toEqual([503])
    expect(pendingMigrations).toHaveBeenCalledTimes(2)
  })
})
