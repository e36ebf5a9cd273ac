import { JUDGES } from '../../src/judge/conformance/judges.js'

const inCell = (sentence: string): string => sentence.replaceAll('|', '\\|')

/** The table of the rules that a profile of an API itself checks, as docs/judge.md has it. */
export function ruleTable(api: keyof typeof JUDGES): string {
  const { profiles, clients, rules } = JUDGES[api]
  const own = profiles.slice(0, profiles.length - clients.length)
  const rows = rules.flatMap(({ id, severity, sentence, neededBy }) => {
    const by = own.filter((profile) => neededBy.includes(profile))
    if (by.length === 0) return []
    const only = by.length === own.length ? '' : ` (\`${by.join('`, `')}\`)`
    return [`| \`${id}\` | ${severity}${only} | ${inCell(sentence)} |`]
  })
  return ['| rule | | |', '|---|---|---|', ...rows].join('\n')
}

/** The table of the rules that the clients of an API need, as docs/judge.md has it: those of all of them first. */
export function clientRuleTable(api: keyof typeof JUDGES): string {
  const { profiles, clients, rules } = JUDGES[api]
  const own = profiles.slice(0, profiles.length - clients.length)
  const rows = rules.flatMap(({ id, sentence, neededBy }) => {
    if (own.some((profile) => neededBy.includes(profile))) return []
    const client = neededBy.length === clients.length ? 'all' : neededBy.map((by) => by.split(':')[1]).join(', ')
    return [`| ${client} | \`${id}\` | ${inCell(sentence)} |`]
  })
  return ['| client | rule | |', '|---|---|---|', ...rows].join('\n')
}
