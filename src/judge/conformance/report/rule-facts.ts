import type { PossibleCauses, RuleCauses } from '../causes.js'
import type { JudgedRule } from '../judge.js'
import { JUDGES } from '../judges.js'
import type { Violation } from '../violation.js'

const RULES: ReadonlyMap<string, JudgedRule> = new Map(
  Object.values(JUDGES).flatMap(({ rules }) => rules.map((rule) => [rule.id, rule] as const)),
)

const NONE: RuleCauses = {}

/** What a report reads of the rule with this id. The rules of a probe are not among them: they have no causes. */
export const factsOf = (id: string): RuleCauses => RULES.get(id) ?? NONE

/** What the rule with this id demands. */
export const sentenceOf = (id: string): string | undefined => RULES.get(id)?.sentence

/** Violations with these names explain all others at the same event. */
export const EXPLAINS_EVENT: readonly string[] = [...RULES].flatMap(([id, { explainsEvent = [] }]) =>
  explainsEvent === true ? [id] : explainsEvent.map((field) => `${id}:${field}`),
)

/** The possible causes of a violation with this name: the id of its rule, or `RULE:FIELD`. */
export function causesNamed(name: string, violation: Violation): PossibleCauses | undefined {
  const [id = '', field] = name.split(':')
  const { causes, causesOfField } = factsOf(id)
  if (field !== undefined) return causesOfField?.[field]
  return typeof causes === 'function' ? causes(violation) : causes
}
