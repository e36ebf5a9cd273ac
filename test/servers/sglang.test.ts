import { expect, test } from 'vitest'
import { createSglangEngine } from '../../src/engines/sources/sglang.js'
import { errorOf } from '../support/error-of.js'
import { readTokens } from '../support/read-tokens.js'
import { encodeHarmony } from '../support/tokens.js'
import { adapterRows } from './adapter-rows.js'
import { crashRows, deadSchedulerRow } from './crash-rows.js'
import { keyRows, WITH_KEY } from './key-rows.js'
import { hello } from './model/scripts.js'
import { CONTEXT } from './model/write-models.js'
import { onServer } from './on-server.js'
import { servedRows } from './served-rows.js'

onServer({ kind: 'sglang', model: 'sure' }, ({ server, engine, running }) => {
  adapterRows({
    ...{ name: 'SGLang', engine, running, longestPrompt: CONTEXT - 7 },
    filled: CONTEXT - 2,
    hasCacheSalt: true,
  })
  servedRows('SGLang', engine, running)
  crashRows('SGLang', engine, server)
  deadSchedulerRow(engine, server)
})

/** Other ways to start it: in `npm run test:full`. */
if (process.env['SERVERS_FULL']) {
  // As docs/engines.md says, and as for many clients: one read has several tokens.
  const flags = ['--grammar-backend', 'llguidance', '--incremental-streaming-output', '--stream-interval', '8']
  onServer({ kind: 'sglang', model: 'sure', flags }, ({ engine, running }) => {
    adapterRows({ name: 'SGLang with llguidance', engine, running, longestPrompt: CONTEXT - 7, filled: CONTEXT - 2 })
    servedRows('SGLang with llguidance', engine, running)
  })

  onServer(
    { kind: 'sglang', model: 'sure', flags: ['--allow-auto-truncate'], title: 'cuts prompts' },
    ({ server, engine }) => {
      const [word = 0] = encodeHarmony(' word')
      const tooLong = new Array<number>(CONTEXT + 100).fill(word)

      test('SGLang that cuts prompts is sent none that it would cut', async () => {
        const error = await errorOf(readTokens(engine().generate(tooLong)))
        expect(error).toMatchObject({ code: 'context_length_exceeded', message: expect.stringContaining('takes') })
      })

      test('SGLang that cuts prompts behind a proxy that hides its limits fails the call that it cuts, and no other', async () => {
        const hidesLimits = async (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
          /server_info/.test(String(input)) ? new Response('', { status: 404 }) : await fetch(input, init)
        const behindProxy = createSglangEngine({ url: server().url, fetch: hidesLimits })
        const error = await errorOf(readTokens(behindProxy.generate(tooLong, { maxTokens: 5 })))
        expect(error).toMatchObject({
          code: 'context_length_exceeded',
          message: expect.stringMatching(/^SGLang read \d+ of the 4196 tokens of the prompt/),
        })
        const { tokens } = await readTokens(behindProxy.generate(encodeHarmony(hello.prompt)))
        expect(tokens).toEqual(encodeHarmony(hello.answer))
      })
    },
  )

  onServer({ kind: 'sglang', model: 'sure', flags: ['--grammar-backend', 'llguidance', ...WITH_KEY] }, ({ server }) => {
    keyRows('SGLang', (options) => createSglangEngine({ url: server().url, ...options }))
  })
}
