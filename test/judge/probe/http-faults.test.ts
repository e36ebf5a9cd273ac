import { describe, expect, test } from 'vitest'
import { CLIENTS } from '../../../src/judge/conformance/index.js'
import { CannotReach } from '../../../src/judge/probe/index.js'
import type { Json } from './model.js'
import { closeServers, failing, IMPATIENT, probed, rulesOf, serve } from './play.js'
import { type Asked, type Faults, sendJson } from './server.js'

closeServers()

const isStream = ({ body }: Asked): boolean => body['stream'] === true
const isCreate = ({ method }: Asked): boolean => method === 'POST'

/** The findings of one scenario with one fault planted. */
async function rules(scenario: string, faults: Faults, options: Parameters<typeof probed>[1] = {}): Promise<string[]> {
  const server = await serve(faults)
  const results = await probed(server.url, { ...options, only: [scenario] })
  const result = results.get(scenario)
  expect(result?.verdict).toBe('fail')
  return rulesOf(result)
}

describe('streams', () => {
  test('streams of another content type are found', async () => {
    expect(await rules('plain', { contentType: 'text/plain' })).toEqual(['content-type'])
  })

  test('streams that are JSON in one piece, although a stream was asked for, are found', async () => {
    expect(await rules('plain', { read: (body) => ({ ...body, stream: false }) })).toEqual(['streams'])
  })

  test('streams that are empty are found', async () => {
    expect(await rules('plain', { frames: () => [] })).toEqual(['streams'])
  })

  test('streams that hold garbage are found, and read on after it', async () => {
    const found = await rules('plain', {
      frames: ([first = '', ...rest]) => [first, 'data: {"type": oops}\n\n', ...rest],
    })
    expect(found).toEqual(['frame-is-event'])
  })

  test('a frame that is no JSON breaks every client but Codex, which skips it', async () => {
    const server = await serve({ frames: ([first = '', ...rest]) => [first, 'data: {"type": oops}\n\n', ...rest] })
    const [finding] = (await probed(server.url, { only: ['plain'] })).get('plain')?.findings ?? []
    expect(finding?.breaks).toEqual(CLIENTS.filter((client) => client !== 'codex'))
  })

  test('streams that hold lines of no event stream are found', async () => {
    const found = await rules('plain', { frames: (frames) => ['<!doctype html>\n', ...frames] })
    expect(found).toEqual(['frame-lines'])
  })

  test('streams whose last frame is not closed are found', async () => {
    const found = await rules('plain', { frames: (frames) => [frames.join('').replace(/\n+$/, '')] })
    expect(found).toEqual(['frame-is-closed'])
  })

  test('streams whose event lines say another type are warned of', async () => {
    const server = await serve({ frames: (frames) => frames.map((frame) => frame.replace(/^event: .*$/m, 'event: x')) })
    const results = await probed(server.url, { only: ['plain'] })
    expect(results.get('plain')).toMatchObject({
      verdict: 'pass',
      findings: [{ rule: 'event-line', severity: 'warning' }, {}, {}],
    })
  })

  test('streams with something after [DONE] are warned of', async () => {
    const server = await serve({ frames: (frames) => [...frames, 'data: [DONE]\n\n', 'data: {}\n\n'] })
    const results = await probed(server.url, { only: ['plain'] })
    expect(rulesOf(results.get('plain'))).toEqual(['done-is-last'])
  })

  test('streams that end in [DONE] are good', async () => {
    const server = await serve({ frames: (frames) => [...frames, 'data: [DONE]\n\n'] })
    expect((await probed(server.url, { only: ['plain'] })).get('plain')?.findings).toEqual([])
  })

  test('streams that break in the middle are found, and missing events are not reported as well', async () => {
    const found = await rules('plain', {
      frames: (frames) => frames.slice(0, 5),
      end: (response) => response.destroy(),
    })
    expect(found).toEqual(['connection'])
  })

  test('streams that hang in the middle are found', async () => {
    const faults: Faults = { frames: (frames) => frames.slice(0, 5), end: () => {} }
    expect(await rules('plain', faults, IMPATIENT)).toEqual(['answers-in-time'])
  })

  test('streams that stay open after their last event are found', async () => {
    expect(await rules('plain', { end: () => {} }, IMPATIENT)).toEqual(['stream-closes'])
  })

  test('streams that never end are found, and left', async () => {
    const delta = `data: ${JSON.stringify({ type: 'response.x', text: 'x'.repeat(10_000) })}\n\n`
    const faults: Faults = { frames: (frames) => [...frames.slice(0, 2), ...Array.from({ length: 100 }, () => delta)] }
    expect(await rules('plain', faults, { maxBytes: 200_000 })).toContain('answer-size')
  })

  test('streams that came in one piece are noted, and no more', async () => {
    const long = { frames: (frames: string[]) => [frames.join('')] }
    const results = await probed((await serve(long)).url, { only: ['call'] })
    expect(results.get('call')).toMatchObject({ verdict: 'pass' })
    expect(results.get('call')?.notes.join()).toMatch(/one piece/)
  })
})

describe('answers', () => {
  test('answers of another form than the streamed response are found', async () => {
    const found = await rules('plain', {
      whole: (response) => {
        const { output, ...rest } = response
        const items = (output as Json[]).map((item) => (item['type'] === 'message' ? { ...item, extra: 1 } : item))
        return { ...rest, output: items }
      },
    })
    expect(found).toContain('same-shape')
  })

  test('answers without a field that clients need are found', async () => {
    expect(await rules('plain', { whole: ({ usage: _, ...rest }) => rest })).toContain('response-shape')
  })

  test('answers with invalid JSON are found', async () => {
    const reply: Faults['reply'] = (asked, response) => {
      if (isStream(asked) || !isCreate(asked)) return false
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<h1>Welcome</h1>')
      return true
    }
    expect(await rules('plain', { reply })).toEqual(['answers-in-json'])
  })

  test('answers with status 500 are found, with the words of the server', async () => {
    const reply: Faults['reply'] = (asked, response) => {
      if (!isCreate(asked)) return false
      sendJson(response, 500, { error: { message: 'CUDA out of memory', type: 'server_error' } })
      return true
    }
    const server = await serve({ reply })
    const results = await probed(server.url, { only: ['plain'] })
    expect(results.get('plain')?.findings).toMatchObject([
      { rule: 'answers', got: '500: CUDA out of memory' },
      { rule: 'answers', got: '500: CUDA out of memory' },
    ])
  })

  test('answers that never come are found once, and the rest is not waited for', async () => {
    const server = await serve({ reply: isCreate })
    const results = await probed(server.url, IMPATIENT)
    expect(failing(results)).toEqual(['plain'])
    expect(rulesOf(results.get('plain'))).toEqual(['answers-in-time'])
    expect(results.get('abort')).toMatchObject({ verdict: 'inconclusive', requests: 0 })
    expect(results.get('abort')?.why).toMatch(/since plain/)
    expect(server.asked.filter(isCreate)).toHaveLength(4)
  })
})

describe('tools', () => {
  test('a server that does not take its own items back fails call', async () => {
    const reply: Faults['reply'] = (asked, response) => {
      if (!asked.text.includes('function_call_output')) return false
      sendJson(response, 400, {
        error: { message: "unknown item 'reasoning'", type: 'invalid', param: 'input', code: null },
      })
      return true
    }
    const server = await serve({ reply })
    const results = await probed(server.url, { only: ['call', 'call-whole', 'two-tools', 'tool-choice'] })
    expect(failing(results)).toEqual(['call', 'call-whole', 'two-tools'])
    expect(results.get('call')?.findings).toMatchObject([
      { rule: 'items-go-back', request: 'round trip', got: "400: unknown item 'reasoning'" },
    ])
  })

  test('a second call that is lost at its end, or in the response, fails two-tools alone', async () => {
    const isSecond = (output_index: unknown): boolean => output_index === 2
    const lost: Faults['events'][] = [
      (events) => events.filter(({ type, output_index: at }) => !(type.endsWith('.done') && isSecond(at))),
      (events) =>
        events.map((event) => {
          const response = event['response'] as Json | undefined
          const output = (response?.['output'] ?? []) as Json[]
          return output.length > 2 ? { ...event, response: { ...response, output: output.slice(0, 2) } } : event
        }),
    ]
    for (const events of lost) {
      const server = await serve(events === undefined ? {} : { events })
      expect(failing(await probed(server.url, { only: ['plain', 'call', 'two-tools'] }))).toEqual(['two-tools'])
    }
  })

  test('two calls of one call_id fail two-tools', async () => {
    const sameId = (text: string): string => text.replace(/"call_id":"[^"]*"/g, '"call_id":"call_1"')
    expect(await rules('two-tools', { frames: (frames) => frames.map(sameId) })).toContain('call-ids-differ')
  })

  test.each(['named', 'none'])('a tool_choice %s that is ignored fails tool-choice', async (which) => {
    const isIt = (choice: unknown): boolean => (which === 'none' ? choice === 'none' : typeof choice === 'object')
    const read = ({ tool_choice, ...body }: Json): Json => (isIt(tool_choice) ? body : { ...body, tool_choice })
    const server = await serve({ read })
    const results = await probed(server.url, { only: ['tool-choice'] })
    expect(results.get('tool-choice')?.findings).toMatchObject([{ rule: 'tool-choice-kept', request: which }])
  })
})

describe('limits and formats', () => {
  test('a strict format that is ignored fails json-schema', async () => {
    expect(await rules('json-schema', { read: ({ text: _, ...body }) => body })).toEqual(['format-kept'])
  })

  test('a truncated answer that is reported as completed fails truncation', async () => {
    const completed = (response: Json): Json => ({ ...response, status: 'completed', incomplete_details: null })
    const found = await rules('truncation', {
      whole: completed,
      events: (events) =>
        events.map((event) =>
          event.type === 'response.incomplete'
            ? { ...event, type: 'response.completed', response: completed(event['response'] as Json) }
            : event,
        ),
    })
    expect(found.filter((rule) => rule === 'truncation-reported')).toHaveLength(2)
  })

  test('a limit that is ignored fails truncation', async () => {
    const found = await rules('truncation', { read: ({ max_output_tokens: _, ...body }) => body })
    expect(found).toEqual(['limit-kept', 'limit-kept'])
  })

  test('a truncated answer that does not say why fails truncation', async () => {
    const found = await rules('truncation', { whole: (response) => ({ ...response, incomplete_details: null }) })
    expect(found).toContain('truncation-reported')
  })
})

describe('bad input', () => {
  test.each(['malformed-json', 'missing-input', 'wrong-types'])(
    'bad input that is answered with 200 fails %s',
    async (scenario) => {
      const server = await serve({
        reply: ({ path }, response) => {
          if (path !== '/v1/responses') return false
          sendJson(response, 200, { object: 'response' })
          return true
        },
      })
      expect(failing(await probed(server.url, { only: [scenario] }))).toEqual([scenario])
    },
  )

  test('bad input that breaks the server fails, with its words', async () => {
    const server = await serve({
      refuse: (response) => sendJson(response, 500, { error: { message: 'KeyError: input' } }),
    })
    const results = await probed(server.url, { only: ['missing-input'] })
    expect(results.get('missing-input')?.findings[0]).toMatchObject({ rule: 'refuses', got: '500: KeyError: input' })
  })

  test('bad input that is refused with a page of HTML fails', async () => {
    const refuse: Faults['refuse'] = (response, { status }) => {
      response.writeHead(status, { 'content-type': 'text/html' })
      response.end('<html><body>Bad Request</body></html>')
    }
    expect(await rules('malformed-json', { refuse })).toEqual(['error-body'])
  })

  test("bad input that is refused in FastAPI's form fails", async () => {
    const refuse: Faults['refuse'] = (response) => sendJson(response, 422, { detail: [{ msg: 'Field required' }] })
    expect(await rules('missing-input', { refuse })).toEqual(['error-body', 'error-body'])
  })

  test('bad input that is refused without param and code is warned of', async () => {
    const refuse: Faults['refuse'] = (response) => sendJson(response, 400, { error: { message: 'no', type: 'bad' } })
    const results = await probed((await serve({ refuse })).url, { only: ['malformed-json'] })
    expect(results.get('malformed-json')).toMatchObject({ verdict: 'pass', findings: [{ severity: 'warning' }] })
  })

  test('an unknown previous_response_id that is ignored fails, and so does a known one', async () => {
    const server = await serve({ read: ({ previous_response_id: _, ...body }) => body })
    const results = await probed(server.url, { only: ['unknown-previous', 'previous-response'] })
    expect(rulesOf(results.get('unknown-previous'))).toEqual(['refuses'])
    expect(rulesOf(results.get('previous-response'))).toEqual(['previous-echoed', 'previous-used'])
  })
})

describe('what is stored', () => {
  test('a resumed stream with other numbers fails resume', async () => {
    const resumed: Faults['resumed'] = (events) => events.map((event, at) => ({ ...event, sequence_number: at }))
    expect(await rules('resume', { resumed })).toEqual(['resumes-exactly'])
  })

  test('a resumed stream that begins too late, or ends too early, fails resume', async () => {
    expect(await rules('resume', { resumed: (events) => events.slice(1) })).toEqual(['resumes-exactly'])
    expect(await rules('resume', { resumed: (events) => events.slice(0, -1) })).toEqual(['resumes-exactly'])
  })

  test('a resumed stream that begins again at the beginning fails resume', async () => {
    expect(await rules('resume', { resumed: (events) => [...events, ...events] })).toEqual(['resumes-exactly'])
  })
})

describe('the end', () => {
  test('a server that dies when a client leaves fails abort', async () => {
    expect(await rules('abort', { left: (kill) => kill() })).toEqual(['connection'])
  })

  test('a good server hears that the client left', async () => {
    const server = await serve()
    const results = await probed(server.url, { only: ['abort'] })
    expect(results.get('abort')?.verdict).toBe('pass')
    expect(server.left).toBe(1)
  })
})

describe('a server that is not a Responses server', () => {
  const reached = async (faults: Faults): Promise<unknown> => probed((await serve(faults)).url).catch((error) => error)

  test.each([301, 401, 403, 404, 405, 429, 501, 503])(
    'a server that is not a Responses server and answers %d is not judged',
    async (status) => {
      const error = await reached({
        reply: (_, response) => {
          sendJson(response, status, { error: { message: 'not here' } })
          return true
        },
      })
      expect(error).toBeInstanceOf(CannotReach)
      expect(String(error)).toMatch(new RegExp(`answers ${status}( \\(--header .*\\))?: not here`))
    },
  )

  test('an address without a server is not judged', async () => {
    const server = await serve()
    await server.close()
    await expect(probed(server.url)).rejects.toThrow(/^cannot reach http:.*ECONNREFUSED/)
  })

  test('a signal stops the probe', async () => {
    const server = await serve()
    const stop = new AbortController()
    stop.abort(new Error('enough'))
    await expect(probed(server.url, { signal: stop.signal })).rejects.toThrow('enough')
  })
})
