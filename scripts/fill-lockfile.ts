import { readFileSync, writeFileSync } from 'node:fs'
import { fillLockfile, missingPackages } from './lockfile.ts'

/** Run after every install that changed the lockfile: a registry may have lacked packages for other platforms. */
const file = 'package-lock.json'
const text = readFileSync(file, 'utf8')
const lock = JSON.parse(text)
const missing = missingPackages(lock)
if (missing.length > 0) writeFileSync(file, `${JSON.stringify(fillLockfile(lock), null, 2)}\n`)
console.log(missing.length === 0 ? 'Nothing is missing.' : `Added ${missing.map((entry) => entry.name).join(', ')}`)
