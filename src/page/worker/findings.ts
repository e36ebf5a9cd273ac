import type { Finding as Found } from '../../judge/conformance/index.js'
import type { BrokenRule, Finding } from './look-result.js'

/** The most findings of a rule that are kept, and of all rules. */
const MAX_OF_RULE = 500
const MAX_FINDINGS = 10_000

/** What is found in a capture: every rule with its number, and the first places. */
export class Findings {
  streams = 0
  /** What it is, if it is no plain stream. */
  format: string | undefined
  readonly #rules = new Map<string, BrokenRule>()
  readonly #kept: Omit<Finding, 'excerpt'>[] = []

  take(found: Found): void {
    if (found.kind === 'stream') this.streams += 1
    else if (found.kind === 'format') this.format ??= found.description
    else if (found.kind === 'broken') this.#add({ ...found, rule: 'unreadable', severity: 'error' }, found.line)
    else if (found.kind === 'violation') this.#add(found.violation, found.line)
  }

  #add(broken: Pick<Finding, 'rule' | 'severity'> & Record<'expected' | 'got', string>, line: number): void {
    const { rule, severity, expected, got } = broken
    const count = (this.#rules.get(rule)?.count ?? 0) + 1
    this.#rules.set(rule, { rule, severity, count })
    if (count > MAX_OF_RULE || this.#kept.length >= MAX_FINDINGS) return
    this.#kept.push({ line, rule, severity, words: `expected ${expected}, got ${got}` })
  }

  /** All rules, by how they first were broken. */
  get rules(): BrokenRule[] {
    return [...this.#rules.values()]
  }

  /** The lines of those that are kept. */
  get lines(): ReadonlySet<number> {
    return new Set(this.#kept.map(({ line }) => line))
  }

  /** Those that are kept, with the beginnings of their lines. */
  with(excerpts: ReadonlyMap<number, string>): Finding[] {
    return this.#kept.map((finding) => ({ ...finding, excerpt: excerpts.get(finding.line) ?? '' }))
  }
}
