import { installedVersion } from './installed.js'
import { type Cases, type Measured, precision, recall, sumOf } from './measure.js'

/** The versions that a client's model describes, and others that it was measured against: `openai 7.59.0`. */
const versionsOf = ({ versions }: Measured): string =>
  Object.entries(versions)
    .map(([name, version]) => {
      const installed = installedVersion(name)
      return installed === version ? `${name} ${version}` : `${name} ${version}, measured with ${installed ?? 'none'}`
    })
    .join(', ')

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const number = (count: number): string => count.toLocaleString('en-US')

/** The table of docs/judge.md, in Markdown. */
export function markdownOf(all: readonly Measured[]): string {
  const head = [
    'profile',
    'measured against',
    'damaged streams',
    'recall',
    'precision',
    'genuine: missed',
    'genuine: accused wrongly',
    'strict: found',
    'strict: genuine refused',
  ]
  const rows = all.map((one) => [
    `\`${one.profile}\``,
    versionsOf(one),
    number(one.damaged),
    percent(recall(one)),
    percent(precision(one)),
    `${one.genuineMissed} of ${one.genuineBroken}`,
    `${one.genuineAccused} of ${number(one.genuine - one.genuineBroken)}`,
    percent(one.broken === 0 ? 1 : one.strictFound / one.broken),
    `${one.strictRefused} of ${number(one.genuine - one.genuineBroken)}`,
  ])
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Recall and precision by family and profile: a table of docs/judge-families.md, in Markdown. */
export function familiesOf(all: readonly Measured[]): string {
  const head = ['family', ...all.map(({ profile }) => `\`${profile}\``)]
  const names = all[0]?.families.map(({ family }) => family) ?? []
  const cell = (counts: { found: number; broken: number; accused: number; named?: number }): string => {
    const { broken, accused } = counts
    if (broken + accused === 0) return 'breaks nothing'
    return `${percent(recall(counts))}, ${percent(precision(counts))} (${number(broken)})`
  }
  const rows = names.map((name, at) => [name, ...all.map(({ families }) => cell(families[at] as never))])
  const sums = ['all', ...all.map(({ families }) => cell(sumOf(families)))]
  return [head, head.map(() => '---'), ...rows, sums].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Recall and precision for kinds never seen, by half: a table of docs/judge.md, in Markdown. */
export function unseenOf(all: readonly Measured[]): string {
  const head = ['profile', 'half', 'damaged streams', 'broken', 'recall', 'precision', 'strict: found']
  const rows = all.flatMap(({ profile, unseen }) =>
    Object.values(unseen).map((one) => [
      `\`${profile}\``,
      one.family,
      number(one.played),
      number(one.broken),
      percent(recall(one)),
      percent(precision(one)),
      percent(one.broken === 0 ? 1 : one.refused / one.broken),
    ]),
  )
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** By profile, the families at which one of its own rules was broken: its model names them. */
export function namedIn({ families }: Measured): string {
  const words = families
    .filter(({ named }) => named > 0)
    .map(({ family, named, found }) => `${family} ${named}/${found}`)
  return words.join(', ') || 'none'
}

/** The whole measurement as text: the table, and the errors by kind. */
export function reportOf(all: readonly Measured[], most = 25): string {
  const details = all.flatMap((one) => [
    '',
    `${one.profile}: broken ${one.broken}, missed ${one.missed}, accused wrongly ${one.accused}, neither way ${one.neither}; model unlike the client: ${one.unfaithful}; explained otherwise: ${one.misexplained}`,
    ...listOf('missed', one.misses, most),
    ...listOf('accused wrongly', one.accusations, most),
    ...listOf('model unlike the client', one.unlike, most),
    `  families that the model's own rules name: ${namedIn(one)}`,
    ...[...one.families, one.unseen.open].flatMap(({ family, misses, accusations }) => [
      ...listOf(`${family}: missed`, misses, most),
      ...listOf(`${family}: accused wrongly`, accusations, most),
    ]),
    // Of what is apart, the kinds alone: whoever reads more may fit a rule to it.
    `  apart: missed ${namesOf(one.unseen.apart.misses)}; accused wrongly ${namesOf(one.unseen.apart.accusations)}`,
  ])
  return [markdownOf(all), '', familiesOf(all), '', unseenOf(all), ...details].join('\n')
}

const namesOf = (cases: readonly Cases[]): string => `${cases.length} kinds`

function listOf(what: string, cases: readonly Cases[], most: number): string[] {
  const lines = cases.slice(0, most).map(({ kind, count, example }) => `  ${what} ${count} × ${kind}\n      ${example}`)
  return cases.length > most ? [...lines, `  ${what}: and ${cases.length - most} kinds more`] : lines
}
