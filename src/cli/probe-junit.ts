import type { Finding, Probe, ScenarioResult } from '../judge/probe/index.js'
import { plain } from './terminal-text.js'

/**
 * Formats the results as JUnit XML for CI systems: one test case per scenario; inconclusive and unsupported ones are
 * skipped. The XML is well-formed whatever a server wrote.
 */
export function printJunit({ url, model, profile }: Probe, results: readonly ScenarioResult[]): string {
  const failures = results.filter(({ verdict }) => verdict === 'fail').length
  const skipped = results.filter(({ verdict }) => verdict === 'inconclusive' || verdict === 'unsupported').length
  const counts = `tests="${results.length}" failures="${failures}" errors="0" skipped="${skipped}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="harmony-responses probe" ${counts}>`,
    `  <testsuite name="${xml(url)}" ${counts}>`,
    '    <properties>',
    `      <property name="model" value="${xml(model)}"/>`,
    `      <property name="profile" value="${xml(profile)}"/>`,
    '    </properties>',
    ...results.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function testCase({ scenario, asks, verdict, why = '', findings, notes }: ScenarioResult): string {
  const name = `name="${xml(scenario)}" classname="harmony-responses.probe"`
  const lines = [
    asks,
    ...findings.flatMap((finding) => [inWords(finding), ...detailsOf(finding)]),
    ...notes.map((note) => `note: ${note}`),
  ]
  const out = `      <system-out>${xml(lines.join('\n'))}</system-out>`
  const first = findings.find(({ severity }) => severity === 'error')
  const outcome =
    verdict === 'fail' && first !== undefined
      ? [`      <failure type="${xml(first.rule)}" message="${xml(inWords(first))}"/>`]
      : verdict === 'pass'
        ? []
        : [`      <skipped message="${xml(`${verdict}: ${why}`)}"/>`]
  return [`    <testcase ${name}>`, ...outcome, out, '    </testcase>'].join('\n')
}

/** Lists the facts needed to reproduce the finding. */
const detailsOf = ({ cause = 'server', frame, curl }: Finding): string[] => [
  `cause: the ${cause}`,
  ...(frame === undefined ? [] : [`event: ${frame}`]),
  ...(curl === undefined ? [] : [curl]),
]

function inWords({ severity, rule, breaks, request, position, type, expected, got, more }: Finding): string {
  const at = position === undefined ? '' : `, ${type === undefined ? 'at the end' : `event ${position} ${type}`}`
  const clients = breaks.length === 0 ? '' : ` (breaks ${breaks.join(', ')})`
  const rest = more === 0 ? '' : `, and ${more} more because of it`
  return `${severity} ${rule}${clients}: ${request}${at}: expected ${expected}, got ${got}${rest}`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Escapes text for XML 1.0, in content and attributes. Characters that XML cannot express are spelled out. */
function xml(text: string): string {
  return text
    .split('\n')
    .map((line) => plain(line).replace(/[\ud800-\udfff\ufffe\uffff]/gu, spelled))
    .join('\n')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** Spells out lone surrogates and the two noncharacters that XML forbids. */
function spelled(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16)}`
}
