import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from '../../../docs/pages.js'
import { sources } from '../../../docs/snippets.js'

const PAGE = `
import { collectResponse, translate } from 'harmony-responses'
import { chatSource } from 'harmony-responses/sources/chat'

export async function answerOf(chunks) {
  const { output } = await collectResponse(translate(chatSource(chunks)))
  return output.map((item) => item.arguments ?? item.content[0].text).join('; ')
}
`
/** What Node has, and no page. */
const OF_NODE = ['process', 'Buffer', 'require', 'module', 'global', 'setImmediate', 'clearImmediate']

test.each([
  ['a browser', ['browser']],
  ['a Worker', ['workerd', 'worker', 'browser']],
])('chatSource is one file for %s, which needs nothing of Node', async (_, conditions) => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: PAGE, loader: 'ts', resolveDir: root },
    ...{ bundle: true, write: false, metafile: true, format: 'iife', globalName: 'page' },
    ...{ platform: 'browser', target: 'es2022', conditions, alias: sources, tsconfigRaw: '{}' },
  })
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  const load = new Function(...OF_NODE, `${outputFiles[0]?.text}; return page`)
  const { answerOf } = load() as { answerOf(given: unknown): Promise<string> }
  const chunks = [
    { choices: [{ delta: { reasoning: 'Hm.' } }] },
    { choices: [{ delta: { content: 'Hi 😀' } }] },
    { choices: [{ delta: { tool_calls: [{ function: { name: 'now', arguments: '{}' } }] } }] },
    { choices: [{ delta: {}, finish_reason: 'stop' }] },
  ]
  expect(await answerOf(chunks)).toBe('Hm.; Hi 😀; {}')
})
