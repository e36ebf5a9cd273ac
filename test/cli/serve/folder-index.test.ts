import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { frontMatter, selects } from '../../../src/cli/serve/file-search/attributes.js'
import { FolderIndex } from '../../../src/cli/serve/file-search/folder-index.js'
import { passagesOf } from '../../../src/cli/serve/file-search/passages.js'
import type { FileSearchFilter } from '../../../src/core/responses/items.js'
import { runs } from '../../support/runs.js'

const atOnce = (): undefined => undefined

async function indexOf(files: Readonly<Record<string, string>>): Promise<FolderIndex> {
  const index = new FolderIndex('vs_a')
  for (const [name, text] of Object.entries(files)) await index.add({ name, text }, atOnce)
  return index
}

async function found(index: FolderIndex, ...queries: string[]): Promise<string[]> {
  return (await index.search(queries, undefined, 10, atOnce)).map(({ filename }) => filename)
}

describe('the passages of a text', () => {
  test('the passages have all words of a text in order, and none is longer than the limit or ends within a character', () => {
    const part = fc.oneof(
      fc.constantFrom('\n\n', '\n \t\n', '\n## ', ' ', '🦦'.repeat(700), 'word '.repeat(400)),
      fc.string(),
    )
    const law = fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join('')
      const passages = [...passagesOf(text)]
      expect(passages.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
      for (const passage of passages) {
        expect(passage.length).toBeLessThanOrEqual(1600)
        expect(passage).not.toMatch(/[\ud800-\udbff]$/)
        expect(passage.trim()).not.toBe('')
      }
    })
    fc.assert(law, { numRuns: runs(250) })
  })

  test('a heading begins a passage, unless the one before it is short', () => {
    const section = (name: string): string => `# ${name}\n\n${'word '.repeat(100).trim()}`
    expect([...passagesOf(`# Title\n\n${section('A')}\n\n${section('B')}`)]).toEqual([
      `# Title\n\n${section('A')}`,
      section('B'),
    ])
  })
})

describe('the front matter of a file', () => {
  test('the front matter has attributes: texts, numbers and truth values, and no lists', () => {
    const lines = ['title: "A: b"', 'year: 2026', 'draft: false', 'tags: [a]', 'nested:', '  a: 1', "code: '007'", 'no']
    expect(frontMatter(`---\n${lines.join('\r\n')}\n---\nBody.`)).toEqual({
      attributes: { title: 'A: b', year: 2026, draft: false, code: '007' },
      body: 'Body.',
    })
  })

  test.each(['Text.', '---\nno end', 'a\n---\nb: c\n---\n'])('%j has none', (text) => {
    expect(frontMatter(text)).toEqual({ attributes: {}, body: text })
  })

  test('no more attributes are read than the API has, and none has the name of an inherited property', () => {
    const many = Array.from({ length: 20 }, (_, at) => `a${at}: ${at}`).join('\n')
    expect(Object.keys(frontMatter(`---\n${many}\n---\n`).attributes)).toHaveLength(16)
    const { attributes } = frontMatter('---\n__proto__: x\n---\n')
    expect(selects({ type: 'eq', key: '__proto__', value: 'x' }, attributes)).toBe(true)
    expect(selects({ type: 'ne', key: 'constructor', value: 'x' }, {})).toBe(true)
  })
})

describe('a filter', () => {
  const attributes = { year: 2026, topic: 'sea', date: '2026-05-01', draft: false }

  test.each<[FileSearchFilter['type'], string, unknown, boolean]>([
    ['eq', 'topic', 'sea', true],
    ['eq', 'year', '2026', false],
    ['eq', 'none', 'sea', false],
    ['ne', 'none', 'sea', true],
    ['ne', 'draft', false, false],
    ['gt', 'year', 2025, true],
    ['gt', 'year', 2026, false],
    ['gte', 'year', 2026, true],
    ['lt', 'date', '2026-06-01', true],
    ['lte', 'year', '3000', false],
    ['lt', 'none', 3000, false],
    ['in', 'topic', ['land', 'sea'], true],
    ['in', 'none', ['land'], false],
    ['nin', 'topic', ['land'], true],
    ['nin', 'year', [2026], false],
  ])('%s %s %j selects: %s', (type, key, value, isSelected) => {
    expect(selects({ type, key, value }, attributes)).toBe(isSelected)
  })

  test('filters are joined by and, or', () => {
    const [yes, no] = [2026, 2020].map((value) => ({ type: 'eq', key: 'year', value }))
    expect(selects({ type: 'and', filters: [yes, no] }, attributes)).toBe(false)
    expect(selects({ type: 'or', filters: [no, { type: 'and', filters: [yes, yes] }] }, attributes)).toBe(true)
  })

  test.each([[null], [{ type: 'like', key: 'a', value: 'b' }], [{ type: 'eq' }], [{ type: 'and', filters: 'x' }]])(
    'a value that is not a filter is an error: %j',
    (filter) => {
      expect(() => selects({ type: 'or', filters: [filter] }, attributes)).toThrow('expected filters of comparisons')
    },
  )

  test('a filter that is nested too deep is an error, not a stack that overflows', () => {
    let filter: unknown = { type: 'eq', key: 'year', value: 2026 }
    for (let depth = 0; depth < 100_000; depth++) filter = { type: 'and', filters: [filter] }
    expect(() => selects(filter, attributes)).toThrow('expected filters of comparisons')
  })
})

describe('a search', () => {
  test('the words of a query are found in any case and form, in the text and in the name of its file', async () => {
    const index = await indexOf({ 'a.md': 'OTTERS, ﬁne ones.', 'b.md': 'An otter.', 'sub/seals.md': 'They sing.' })
    expect((await found(index, 'otter')).toSorted()).toEqual(['a.md', 'b.md'])
    expect(await found(index, 'fine')).toEqual(['a.md'])
    expect(await found(index, 'Seal')).toEqual(['sub/seals.md'])
    expect(await found(index, 'walrus')).toEqual([])
    expect(await found(index, '?!')).toEqual([])
  })

  test('scripts without spaces are found by their characters', async () => {
    const index = await indexOf({ 'a.md': '海獭牵着手睡觉。', 'b.md': '海豹在冰下唱歌。' })
    expect(await found(index, '海獭')).toEqual(['a.md', 'b.md'])
  })

  test('a rare word counts more than a frequent one, and each passage has the score of its best query', async () => {
    const index = await indexOf({ 'a.md': 'the the the', 'b.md': 'the otter', 'c.md': 'the seal' })
    expect(await found(index, 'the otter')).toEqual(['b.md', 'a.md', 'c.md'])
    const scoresOf = async (...queries: string[]) =>
      new Map((await index.search(queries, undefined, 3, atOnce)).map(({ filename, score = 0 }) => [filename, score]))
    const [otter, the, both] = [await scoresOf('otter'), await scoresOf('the'), await scoresOf('otter', 'the')]
    for (const [name, score] of both) expect(score).toBe(Math.max(otter.get(name) ?? 0, the.get(name) ?? 0))
    expect(both.size).toBe(3)
  })

  test('the best passages are those of a whole sort, with any limit, with scores from 0 to 1', async () => {
    const word = fc.constantFrom('otter', 'seal', 'owl', 'sea')
    const texts = fc.array(fc.array(word, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 20 })
    const law = fc.asyncProperty(
      texts,
      fc.array(word, { minLength: 1 }),
      fc.integer({ min: 1, max: 5 }),
      async (all, query, most) => {
        const index = await indexOf(Object.fromEntries(all.map((words, at) => [`${at}.md`, words.join(' ')])))
        const whole = await index.search([query.join(' ')], undefined, 50, atOnce)
        expect(await index.search([query.join(' ')], undefined, most, atOnce)).toEqual(whole.slice(0, most))
        const scores = whole.map(({ score = -1 }) => score)
        expect(scores).toEqual(scores.toSorted((one, other) => other - one))
        for (const score of scores) expect(score > 0 && score <= 1).toBe(true)
      },
    )
    await fc.assert(law, { numRuns: runs(100) })
  })

  test('a long search waits between its slices', async () => {
    const index = await indexOf(Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at}.md`, 'otter seal'])))
    let cost = 0
    await index.search(['otter', 'seal'], { type: 'ne', key: 'a', value: 1 }, 10, (more) => {
      cost += more
      return undefined
    })
    expect(cost).toBeGreaterThanOrEqual(300)
  })
})
