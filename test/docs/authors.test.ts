import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorAnswer } from '../../src/endpoint/server/error-answer.js'
import { EngineError, type EngineErrorCode } from '../../src/engines/contract/index.js'
import { pageOf, root } from './pages.js'

const page = pageOf('docs/engines-for-authors.md')

/** The first column of a table between two comments. */
function rows(table: string): string[][] {
  const [, text = ''] = new RegExp(`<!-- ${table} -->\\n([\\s\\S]*?)\\n<!-- /${table} -->`).exec(page) ?? []
  return text
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))
}

/** The names of an interface's members, as the file declares them. */
function membersOf(file: string, name: string): string[] {
  const text = readFileSync(`${root}src/${file}`, 'utf8')
  const [, body = ''] = new RegExp(`export interface ${name} [^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(text) ?? []
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member = '']) => member)
}

const namesIn = (table: string): string[] => rows(table).map(([, name = '']) => name.replaceAll('`', ''))

test('the page for authors of engines has a heading for each method, in the order of the type', () => {
  const methods = membersOf('engines/contract/engine.ts', 'TokenEngine')
  expect(methods).toEqual(['generate', 'health', 'capabilities'])
  const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
  expect(headings.filter((heading) => methods.includes(heading))).toEqual(methods)
})

test('the page for authors of engines says what a call may ask, option by option', () => {
  expect(namesIn('generate')).toEqual(membersOf('engines/contract/engine.ts', 'GenerateOptions'))
})

test('the page for authors of engines lists every capability', () => {
  expect(namesIn('capabilities')).toEqual(membersOf('engines/contract/constraint.ts', 'EngineCapabilities'))
})

test.each(rows('errors'))(
  'the page says what a client gets for an engine error: %s %s %s',
  (_, code = '', client = '', shown = '') => {
    const error = new EngineError(code.replaceAll('`', '') as EngineErrorCode, 'the words of the engine')
    const { status, headers, body } = errorAnswer(error, () => {})
    expect(client).toMatch(new RegExp(`^${status}\\b`))
    expect(client.replace(/^500, or 503 with.*$/, '').includes('Retry-After')).toBe('retry-after' in headers)
    expect(body.error.message.includes('the words of the engine')).toBe(shown === 'is shown')
  },
)

test('the page says what a client gets of an engine that is not available', () => {
  const error = new EngineError('server_error', 'refused at 10.0.0.7', {
    isUnavailable: true,
    reason: 'it is starting',
  })
  const { status, headers, body } = errorAnswer(error, () => {})
  expect(page).toContain('503 with `Retry-After` if `isUnavailable`')
  expect({ status, headers }).toEqual({ status: 503, headers: { 'retry-after': '1' } })
  expect(body.error.message).toContain('it is starting')
  expect(body.error.message).not.toContain('10.0.0.7')
})

test('the page lists every code of an engine error', () => {
  const text = readFileSync(`${root}src/engines/contract/engine-error.ts`, 'utf8')
  const [, union = ''] = /export type EngineErrorCode = (.+)/.exec(text) ?? []
  expect(namesIn('errors')).toEqual(union.split('|').map((code) => code.replaceAll("'", '').trim()))
})

test('the page for authors of stores names each method of a store', () => {
  const stores = pageOf('docs/stores.md')
  const methods = membersOf('endpoint/stores/store.ts', 'ResponseStore').filter((name) => name !== 'memory')
  expect(methods).toContain('lineage')
  for (const method of methods) expect(stores).toMatch(new RegExp(`\`${method}[(\`]`))
})
