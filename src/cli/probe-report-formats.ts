import { createHash } from 'node:crypto'
import type { ProbeReport, ReportedFault } from './probe-report.js'

const TITLE = 'Probe of a Responses server'
const OWN =
  'Apart from the name of the model, it has no text of the server or its model: requests are shown without them.'

/** A report as Markdown. */
export function markdownReport({ about, counts, scenarios, faults }: ProbeReport): string {
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
    [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
  return `${[
    `# ${TITLE}`,
    OWN,
    table(['', ''], about),
    `**${countsOf(counts)}**`,
    ...(faults.length === 0 ? [] : ['## What did not hold']),
    ...faults.map((fault) =>
      [`### ${headOf(fault)}`, ...wordsOf(fault), `\`\`\`\n${fault.request}\n\`\`\``].join('\n\n'),
    ),
    '## Scenarios',
    table(
      ['scenario', 'verdict', 'what it expects'],
      scenarios.map(({ scenario, verdict, why, asks }) => [
        scenario,
        [verdict, ...(why ? [why] : [])].join(': '),
        asks,
      ]),
    ),
  ].join('\n\n')}\n`
}

const STYLE = `body { font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse } td, th { border: 1px solid #bbb; padding: .2rem .6rem; text-align: left }
pre { background: #f3f3f3; padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere }`

/** A report as a page without scripts, which loads nothing. */
export function htmlReport({ about, counts, scenarios, faults }: ProbeReport): string {
  const row = (cells: readonly string[], cell = 'td'): string =>
    `<tr>${cells.map((text) => `<${cell}>${escaped(text)}</${cell}>`).join('')}</tr>`
  const table = (rows: readonly string[]): string => `<table>\n${rows.join('\n')}\n</table>`
  const paragraph = (text: string): string => `<p>${escaped(text)}</p>`
  const hash = createHash('sha256').update(STYLE).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<title>${TITLE}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    `<h1>${TITLE}</h1>`,
    paragraph(OWN),
    table(about.map((cells) => row(cells))),
    `<p><strong>${escaped(countsOf(counts))}</strong></p>`,
    ...(faults.length === 0 ? [] : ['<h2>What did not hold</h2>']),
    ...faults.flatMap((fault) => [
      `<h3>${escaped(headOf(fault))}</h3>`,
      ...wordsOf(fault).map(paragraph),
      `<pre>${escaped(fault.request)}</pre>`,
    ]),
    '<h2>Scenarios</h2>',
    table([
      row(['scenario', 'verdict', 'what it expects'], 'th'),
      ...scenarios.map(({ scenario, verdict, why, asks }) =>
        row([scenario, [verdict, ...(why ? [why] : [])].join(': '), asks]),
      ),
    ]),
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)

const countsOf = (counts: ProbeReport['counts']): string =>
  counts
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ')

const headOf = ({ severity, rule }: ReportedFault): string => `${rule}${severity === 'warning' ? ' (warning)' : ''}`

function wordsOf({ sentence, fields, breaks, scenarios }: ReportedFault): string[] {
  return [
    sentence,
    ...(fields.length === 0 ? [] : [`Fields: ${fields.join(', ')}.`]),
    breaks.length === 0 ? 'It breaks no client that we model.' : `It breaks ${breaks.join(', ')}.`,
    `In ${scenarios.join(', ')}. The shortest request:`,
  ]
}
