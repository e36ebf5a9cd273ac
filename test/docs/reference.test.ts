import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { root } from './pages.js'
import { readReference } from './reference.js'
import { sources } from './snippets.js'

const reference = readReference()
const nameOf = ({ name, path }: { name: string; path: string }): string => `${path} ${name}`

/** A module of the site's, which needs nothing that is installed there. */
const { MIRRORS } = (await import(/* @vite-ignore */ `${root}docs-site/mirrors.mjs`)) as {
  MIRRORS: Readonly<Record<string, string>>
}
const isMirror = (path: string): boolean => Object.keys(MIRRORS).some((folder) => path.startsWith(folder))

describe('the docstrings', () => {
  test.each(Object.entries(sources))('%s says what it is for', (_, path) => {
    expect(readFileSync(path, 'utf8')).toMatch(/^\/\*\*\n(?: \*.*\n)+ \* @packageDocumentation\n/)
  })

  test('every export has one', () => {
    expect(reference.filter(({ docstring }) => docstring === '').map(nameOf)).toEqual([])
  })

  test('every field of an exported type has one, or its member of a union has, unless it mirrors that of another API', () => {
    const fields = reference.flatMap(({ fields }) => fields).filter(({ path }) => !isMirror(path))
    expect(fields.filter(({ docstring }) => docstring === '').map(nameOf)).toEqual([])
  })

  test('every export has fields that mirror another API, where the site says so', () => {
    const found = new Set(reference.flatMap(({ fields }) => fields.map(({ path }) => path)))
    expect(Object.keys(MIRRORS).filter((folder) => ![...found].some((path) => path.startsWith(folder)))).toEqual([])
  })

  test('every function has an example', () => {
    const without = reference.filter(({ isFunction, examples }) => isFunction && examples.length === 0)
    expect(without.map(nameOf)).toEqual([])
  })

  test('every example is in the reference', () => {
    const marked = reference.filter(
      ({ docstring, examples }) => docstring.split('@example').length - 1 !== examples.length,
    )
    expect(marked.map(nameOf)).toEqual([])
  })
})
