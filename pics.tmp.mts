import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { buildPackage } from './test/unit/files/evidence/build-package.ts'
import { PACKAGES } from './test/unit/files/evidence/package-cases.ts'
const only = process.argv.slice(2)
mkdirSync('/tmp/x/pkg',{recursive:true})
for (const [name, one] of Object.entries(PACKAGES)) {
  if (only.length && !only.includes(name)) continue
  const t = process.cpuUsage()
  const made = await buildPackage(one)
  const u = process.cpuUsage(t)
  if ('refused' in made) console.log(name, made)
  else { writeFileSync(`/tmp/x/pkg/${name}.pdf`, made.pdf); console.log(name, made.pages, made.pdf.length, Math.round((u.user+u.system)/1000)+'ms', made.exhibits.map(e=>e.letter+e.pages).join(' '), made.dropped, made.warnings, made.written.statementsLeft, made.written.composed.requiredMissing, made.written.composed.completeness) }
}
