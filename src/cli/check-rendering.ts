import type { Violation } from '../conformance/check.js'
import type { Profile } from '../conformance/invariant.js'
import { INVARIANTS } from '../conformance/invariants/index.js'

/** How what is wrong with one stream is shown, while it is read and when it is over. */
export interface StreamRendering {
  /** Takes what was found at a line. Returns what to print at once, where somebody is watching. */
  event(violations: readonly Violation[], line: number): string | undefined
  /** Returns the report of a stream of so many events. */
  end(events: number): string
}

export interface RenderingOptions {
  readonly profile: Profile
  /** The number of the stream in its file, from 1. */
  readonly stream: number
  /** Somebody is watching while the stream is read. */
  readonly isLive: boolean
}

/** So many violations of a rule are shown. The others are counted: a stream may have any number of them. */
const SHOWN = 100

export function createStreamRendering({ profile, stream, isLive }: RenderingOptions): StreamRendering {
  const found = new Map<string, { readonly shown: string[]; count: number }>()
  let errors = 0
  let warnings = 0

  function take(violation: Violation): string | undefined {
    if (violation.severity === 'error') errors++
    else warnings++
    const rule = found.get(violation.rule) ?? { shown: [], count: 0 }
    found.set(violation.rule, rule)
    rule.count++
    if (rule.count > SHOWN) return undefined
    const words = wordsOf(violation)
    rule.shown.push(`    ${words}\n`)
    return words
  }

  return {
    event(violations, line) {
      const lines = violations.flatMap((violation) => {
        const words = take(violation)
        return words === undefined ? [] : [`line ${line}: ${violation.severity} ${violation.rule}: ${words}\n`]
      })
      return isLive && lines.length > 0 ? lines.join('') : undefined
    },
    end(events) {
      const counts = `${count(events, 'event')}, ${count(errors, 'violation')}, ${count(warnings, 'warning')}`
      const rules = INVARIANTS.map(({ id, sentence, severity, fault }) => {
        const { shown, count: all } = found.get(id) ?? { shown: [], count: 0 }
        if (all === 0) return ''
        const more = all > shown.length ? `    and ${all - shown.length} more\n` : ''
        const whose = fault === 'model' ? ' (The model wrote it.)' : ''
        return `  ${severity} ${id}: ${sentence}${whose}\n${shown.join('')}${more}`
      })
      return `stream ${stream}: ${counts} (profile ${profile})\n${rules.join('')}`
    },
  }
}

function wordsOf({ position, type, expected, got }: Violation): string {
  const at = type === undefined ? 'at the end' : `event ${position} ${type}`
  return `${at}: expected ${expected}, got ${got}`
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
