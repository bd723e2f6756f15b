import { afterEach, expect, test, vi } from 'vitest'
import { startChild } from '../../harness/child.ts'

afterEach(() => vi.restoreAllMocks())

test('a process that has exited gets no signal, because its id may belong to another process', async () => {
  const child = startChild('cli/main.ts', { DATABASE_URL: '' })
  await child.exited
  const signalled = vi.spyOn(process, 'kill')
  await child.stop()
  child.kill('SIGTERM')
  expect(signalled).not.toHaveBeenCalled()
})
