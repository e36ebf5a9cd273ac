import { parse as parseToml } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { expectGenerated } from './generated.js'
import { type Block, blocks, pages } from './pages.js'
import { reasonOf, runnerOf, takerOf } from './runners.js'

const placeOf = ({ page, line }: Block): string => `${page}:${line}`
/** TypeScript is compiled in any case. */
const isRun = (block: Block): boolean =>
  runnerOf(block) !== undefined && !(block.language === 'ts' && reasonOf(block) !== undefined)

describe('the blocks of the pages', () => {
  test('every block is run, or has a mark that says why not', () => {
    expect(blocks.filter((block) => !isRun(block) && reasonOf(block) === undefined).map(placeOf)).toEqual([])
  })

  test('no block that is run has a mark that says why not', () => {
    expect(blocks.filter((block) => isRun(block) && reasonOf(block) !== undefined).map(placeOf)).toEqual([])
  })

  test('every comment before a block is a reason, or a name by which a test takes it', () => {
    const marked = blocks.filter(({ mark }) => mark !== undefined)
    expect(marked.filter((block) => (reasonOf(block) ?? takerOf(block)) === undefined).map(placeOf)).toEqual([])
  })

  test('every mark stands before a block', () => {
    const marks = pages.flatMap(({ text }) => text.match(/^<!-- not run: /gm) ?? [])
    expect(blocks.filter((block) => reasonOf(block) !== undefined)).toHaveLength(marks.length)
  })

  test('every block has a fence', () => {
    expect(blocks.filter(({ language }) => language === 'indented').map(placeOf)).toEqual([])
  })

  test('test/README.md lists the blocks that are not run, and counts them', () => {
    const count = new Map<string, number>()
    for (const block of blocks) {
      const reason = reasonOf(block)
      if (reason === undefined) continue
      const row = `\`${block.page}\` | ${reason}`
      count.set(row, (count.get(row) ?? 0) + 1)
    }
    const rows = Array.from(count, ([row, times]) => `| ${row} | ${times} |`)
    const total = [...count.values()].reduce((sum, times) => sum + times, 0)
    const table = ['| page | not run, because | blocks |', '| --- | --- | --- |', ...rows]
    expectGenerated(
      'test/README.md',
      'blocks',
      `${blocks.length - total} of ${blocks.length} blocks are run.\n\n${table.join('\n')}`,
    )
  })

  const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
    json: JSON.parse,
    toml: parseToml,
    yaml: parseYaml,
  }
  test.each(blocks.filter(({ language }) => language in PARSERS))('$page:$line is $language', ({ language, code }) => {
    expect(() => PARSERS[language]?.(code)).not.toThrow()
  })
})
