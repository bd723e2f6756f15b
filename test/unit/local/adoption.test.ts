import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDataFolder } from '../../../local/data-folder.ts'
import { scriptArguments } from '../../../local/run-script.ts'
import { startService } from '../../../local/service.ts'
import { quietPorts } from '../../../process/ports.ts'

test('a process that an earlier start left is adopted, although it is not ready at once', async () => {
  const path = mkdtempSync(join(tmpdir(), 'recoup-adoption-'))
  const folder = openDataFolder(path)
  const [port = 0] = await quietPorts(1)
  const url = `http://127.0.0.1:${port}`
  const said: string[] = []
  const start = () =>
    startService(
      folder,
      {
        name: 'fixture',
        args: scriptArguments('test/unit/local/fixtures/service.ts'),
        env: { FIXTURE_PORT: String(port) },
        ports: [{ port, variable: 'FIXTURE_PORT' }],
        readyUrl: `${url}/ready`,
      },
      (sentence) => said.push(sentence),
      () => undefined,
    )
  const first = await start()
  try {
    await first.ready()
    const pid = first.pid()
    await fetch(`${url}/busy/3`)
    const second = await start()
    await second.stop(1_000)
    expect(said).toContain(`Adopted fixture (process ${pid})`)
  } finally {
    await first.stop(1_000)
    rmSync(path, { recursive: true })
  }
}, 60_000)
