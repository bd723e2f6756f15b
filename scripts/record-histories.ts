import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { openDataFolder } from '../local/data-folder.ts'
import { projectFolder } from '../local/run-script.ts'
import { STACK_FILE, type StackFile } from '../local/stack-file.ts'
import { WORKFLOWS } from '../workflows/contract.ts'
import { playDeactivations } from './scenes/deactivation.ts'
import { playSubmissions } from './scenes/evidence.ts'
import { playRawData } from './scenes/raw-data.ts'
import { playRemoval } from './scenes/removal.ts'
import { playRotation } from './scenes/rotation.ts'
import { playScopeChanges } from './scenes/scope.ts'

/**
 * `npm run record-histories -- <version> [address]`: the newest run of each workflow and state that the server behind
 * `npm start` holds becomes a file of test/histories, which the replay tests run against the code from then on. Scenes
 * make the runs that the demo has none of.
 */
const [version, address = 'localhost:7233'] = process.argv.slice(2)
if (!version) throw new Error('Name the version that ran, e.g. 1.0.0.')
const client = new Client({ connection: await Connection.connect({ address }) })
const stack = openDataFolder(join(projectFolder, '.recoup')).read<StackFile>(STACK_FILE)
if (!stack) throw new Error('There is no .recoup/stack.json: run npm start first.')
const scenes = [playDeactivations, playSubmissions, playRawData, playScopeChanges, playRemoval, playRotation]
for (const workflowId of (await Promise.all(scenes.map((play) => play(stack)))).flat())
  await client.workflow.getHandle(workflowId).result()
const recorded = new Set<string>()
for await (const run of client.workflow.list()) {
  const name = `${run.type}.${run.status.name.toLowerCase()}.${version}`
  if (!(run.type in WORKFLOWS)) continue
  if (recorded.has(name)) continue
  recorded.add(name)
  const history = await client.workflow.getHandle(run.workflowId, run.runId).fetchHistory()
  writeFileSync(
    join('test/histories', `${name}.json`),
    `${historyToJSON(history).replaceAll(/"\d+@[^"]+"/g, '"worker"')}\n`,
  )
  console.log(`${name}: ${history.events?.length ?? 0} events`)
}
await client.connection.close()
