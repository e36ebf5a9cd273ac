import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { run } from '../../src/cli/run.js'
import { fakeIo } from '../cli/io.js'
import { namedBlock } from './pages.js'

const { code: fixture } = namedBlock('docs/command-line.md', 'fixture')

test('the fixture that docs/command-line.md writes by hand is translated by replay', async () => {
  const io = Object.assign(fakeIo(), { readFile: async () => fixture })
  expect(await run(['replay', 'greeting.json'], io)).toBe(0)
  const { response } = JSON.parse(io.out.trimEnd().split('\n').at(-1) ?? '')
  expect(response.output.map(({ type }: { type: string }) => type)).toEqual(['reasoning', 'message'])
  expect(response.output[1].content[0].text).toBe('Hello!')
})

test('the fixture that docs/command-line.md writes by hand answers its input under serve --replay', async () => {
  let stop = (): void => {}
  let exit: Promise<number> = Promise.resolve(1)
  const out = await new Promise<string>((resolve) => {
    const io = Object.assign(fakeIo(), {
      readFile: async () => fixture,
      readFolder: async (path: string) => (path === 'greeting.json' ? Promise.reject(notAFolder()) : readdir(path)),
      print: async (text: string) => resolve(text),
      onStop(listener: () => void) {
        stop = listener
        return () => {}
      },
    })
    exit = run(['serve', '--replay', 'greeting.json', '--port', '0'], io)
  })
  const [, url = ''] = /listens on (\S+)\/v1/.exec(out) ?? []
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/v1/responses`, { method: 'POST', headers, body: '{"input":"Hi"}' })
  expect(await answer.text()).toContain('Hello!')
  stop()
  expect(await exit).toBe(0)
})

const notAFolder = (): Error => Object.assign(new Error('ENOTDIR'), { code: 'ENOTDIR' })
