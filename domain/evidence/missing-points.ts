import { FACTS, type FactName, settableNames } from './fact-catalogue.ts'
import { playbookOf } from './playbooks/index.ts'
import { type Ask, listsFor } from './playbooks/playbook.ts'
import { type Claim, playOf } from './plays.ts'

/**
 * Data points that would answer the claim and that nobody has sent, the required ones first. By names alone: a value that
 * can't be read, and files, show in the package.
 */
export function missingPoints(claim: Claim, present: Iterable<string>): string[] {
  const known = new Set(present)
  const has = (fact: FactName) => {
    const { names, from } = FACTS[fact]
    return names ? names.some((name) => known.has(name)) : (from ?? []).every((name) => known.has(name))
  }
  const lists = listsFor(playbookOf(playOf(claim).play), claim).filter(({ when }) => !when || when.some(has))
  const lacking = lists
    .map(({ of }) => ({ left: of.filter(({ facts = [] }) => facts.length > 0 && !facts.some(has)), all: weightOf(of) }))
    .sort((a, b) => weightOf(a.left) / a.all - weightOf(b.left) / b.all)
  const asks = [...(lacking[0]?.left ?? [])].sort((a, b) => b.weight - a.weight)
  const names = asks.flatMap(({ facts = [] }) => facts.flatMap(settableNames))
  // Earlier transactions are no data point.
  return [...new Set(names)].filter((name) => !name.includes(' '))
}

const weightOf = (asks: readonly Ask[]) => asks.reduce((sum, { weight }) => sum + weight, 0)
