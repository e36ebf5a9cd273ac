/*
 * xgrammar copies repetitions, and visits all copies for each token: `char{0,200}`, the rest of a string of at most 200
 * characters, took 450 ms a token, `char*` a hundredth of one (xgrammar 0.2.8).
 */

/**
 * The maximum repetitions: of a class of characters, of a rule of few characters or a group, and of a rule of any
 * character.
 */
const MOST_OF_A_CLASS = 64
const MOST_OF_FEW = 12
const MOST_OF_MANY = 8
/** Matches a text, a class, or a number of repetitions, with the name of the rule before it. */
const PARTS = /"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|([\w-]*)\{(\d+)(?:,(\d*))?\}/g
/** Matches a rule with characters beyond ASCII, like any character of a JSON string. */
const OF_MANY = /^([\w-]+) ::= .*[^\0-\x7e]/gm

/** Whether a grammar in GBNF has repetitions that make xgrammar slow. */
export function hasSlowCounts(gbnf: string): boolean {
  return withoutSlowCounts(gbnf) !== gbnf
}

/** Replaces long repetitions in GBNF by unlimited ones. */
export function withoutSlowCounts(gbnf: string): string {
  const ofMany = new Set(Array.from(gbnf.matchAll(OF_MANY), ([, name]) => name))
  return gbnf.replace(PARTS, (part, name: string, least?: string, most?: string, ...[at]: unknown[]) => {
    if (least === undefined) return part
    const few = ofMany.has(name) ? MOST_OF_MANY : MOST_OF_FEW
    const limit = gbnf[Number(at) - 1] === ']' ? MOST_OF_A_CLASS : few
    if (Number(most || least) <= limit) return part
    const first = Math.min(Number(least), limit)
    return `${name}${first === 0 ? '*' : `{${first},}`}`
  })
}
