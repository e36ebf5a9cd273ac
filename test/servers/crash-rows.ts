import { expect, test } from 'vitest'
import type { ResponseRequest } from '../../src/core/responses/request.js'
import { respond } from '../../src/endpoint/respond/index.js'
import type { TokenEngine } from '../../src/engines/contract/index.js'
import { collectResponse, type Diagnostic, loadTokenTable } from '../../src/index.js'
import { errorOf } from '../support/error-of.js'
import { readTokens } from '../support/read-tokens.js'
import { encodeHarmony } from '../support/tokens.js'
import { endless, hello, months, questionOf } from './model/scripts.js'
import type { RealServer } from './server.js'

/** Tests the engine while its server dies, and after it came back. */
export function crashRows(name: string, engine: () => TokenEngine, server: () => RealServer): void {
  test(`${name} that is killed fails a stream with what came before, is not healthy, and answers again once it is back`, async () => {
    const stream = engine().generate(encodeHarmony(endless.prompt), { maxTokens: 3000 })
    const before: unknown[] = []
    for (let step = 0; step < 8; step++) before.push((await stream.next()).value)
    const rest = errorOf(readTokens(stream))
    await server().kill()
    expect(before.flat()).toEqual(encodeHarmony(endless.answer).slice(0, before.flat().length))
    expect(await rest).toMatchObject({ code: 'server_error' })
    expect(await errorOf(engine().health())).toMatchObject({ isUnavailable: true })
    await server().start()
    await engine().health()
    const { tokens } = await readTokens(engine().generate(encodeHarmony(hello.prompt)))
    expect(tokens).toEqual(encodeHarmony(hello.answer))
  })
}

/** A response whose server is killed in the middle of its answer, and started again. */
export function restartRow(name: string, engine: () => TokenEngine, server: () => RealServer): void {
  test(`${name} that is killed in the middle of an answer is asked again until it is back, and the answer is whole`, async () => {
    const request: ResponseRequest = { model: 'gpt-oss', input: questionOf(months) }
    const restarts: string[] = []
    let starting: Promise<void> | undefined
    let deltas = 0
    async function* killing() {
      const options = { engine: engine(), tokenTable: await loadTokenTable(), engineRestarts: 40, onError: () => {} }
      const onDiagnostic = ({ subject = '' }: Diagnostic): void => void restarts.push(subject)
      for await (const events of respond(request, { ...options, onDiagnostic })) {
        deltas += events.filter(({ type }) => type === 'response.output_text.delta').length
        if (deltas >= 8 && starting === undefined) {
          const killed = server().kill()
          starting = killed.then(() => server().start())
          // Nothing is read meanwhile, or a short answer might be whole before the server is gone.
          await killed
        }
        yield events
      }
    }
    const { status, output } = await collectResponse(killing())
    await starting
    expect([status, restarts.length > 0]).toEqual(['completed', true])
    const [message] = output.filter(({ type }) => type === 'message')
    const said = message?.type === 'message' ? message.content.map(({ text }) => text).join('') : ''
    expect(said).toBe(months.answer.replace(/^.*<\|message\|>|<\|return\|>$/gs, ''))
  })
}

/** Its last row: the server ends with its scheduler, though only some seconds later. */
export function deadSchedulerRow(engine: () => TokenEngine, server: () => RealServer): void {
  test('SGLang is not healthy from the moment on in which its scheduler dies', async () => {
    await engine().health()
    server().killProcess('sglang::scheduler')
    // Its HTTP process answers nothing by itself: it asks the scheduler.
    for (let asked = 0; asked < 3; asked++) {
      expect(await errorOf(engine().health())).toMatchObject({ code: 'server_error', isUnavailable: true })
    }
  })
}
