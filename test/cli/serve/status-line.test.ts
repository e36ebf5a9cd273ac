import { describe, expect, test } from 'vitest'
import { type Activity, createStatusLine } from '../../../src/cli/serve/status-line.js'
import { serve } from '../served.js'

const CLEAR = '\r\u001b[K'

/** A line, what was written, and the server and the clock that the test sets. */
function line({ columns = 80, hasColors = false } = {}) {
  const server: { -readonly [Name in keyof Activity]: Activity[Name] } & { at: number } = {
    ...{ running: 0, waiting: 0, sampled: 0, at: 0 },
  }
  let written = ''
  const write = (text: string): void => {
    written += text
  }
  const status = createStatusLine(
    { columns, hasColors },
    write,
    () => server,
    () => server.at,
  )
  const take = (): string => {
    const text = written
    written = ''
    return text
  }
  return { server, status, take }
}

describe('the line of serve on a terminal', () => {
  test('tells how many responses run and wait, and the tokens of a second', () => {
    const { server, status, take } = line()
    Object.assign(server, { running: 3, waiting: 2, sampled: 50, at: 2 })
    status.draw()
    expect(take()).toBe(`${CLEAR}running 3 · 25 tokens/s · waiting 2`)
    Object.assign(server, { sampled: 80, at: 3 })
    status.draw()
    expect(take()).toBe(`${CLEAR}running 3 · 30 tokens/s · waiting 2`)
  })

  test('is drawn only if it has changed', () => {
    const { server, status, take } = line()
    status.draw()
    take()
    server.at = 1
    status.draw()
    expect(take()).toBe('')
  })

  test('stays below the lines of the log', () => {
    const { status, take } = line()
    status.write('before\n')
    expect(take()).toBe('before\n')
    status.draw()
    take()
    status.write('after\n')
    expect(take()).toBe(`${CLEAR}after\nrunning 0 · 0 tokens/s · waiting 0`)
  })

  test('leaves nothing behind', () => {
    const { status, take } = line()
    status.draw()
    status.end()
    take()
    status.write('last\n')
    expect(take()).toBe('last\n')
  })

  test('is shorter than a narrow terminal, and dim where there are colours', () => {
    const narrow = line({ columns: 12 })
    narrow.status.draw()
    expect(narrow.take()).toBe(`${CLEAR}running 0 …`)
    const coloured = line({ hasColors: true })
    coloured.status.draw()
    expect(coloured.take()).toContain('\u001b[2mrunning 0')
  })

  test.each([
    ['a terminal', { isLive: true }, [], true],
    ['no terminal', {}, [], false],
    ['a terminal and --log json', { isLive: true }, ['--log', 'json'], false],
  ])('with %s', async (_, given, args, isDrawn) => {
    const screen = { columns: 80, hasColors: false, ...given }
    const served = await serve(['--replay', ...args], { screen })
    await served.client.models.list()
    served.stop()
    await served.exit
    expect(served.io.err.includes('tokens/s')).toBe(isDrawn)
    expect(served.io.err.includes('\r')).toBe(isDrawn)
    expect(served.io.err.endsWith(CLEAR)).toBe(isDrawn)
  })
})
