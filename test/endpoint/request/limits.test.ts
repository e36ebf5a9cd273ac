import { describe, expect, test } from 'vitest'
import { parseRequest } from '../../../src/endpoint/request/index.js'
import { errorOf, refusal, withTools } from './errors.js'

/** So many levels of objects and arrays, in turn. */
function nested(levels: number): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

describe('depth', () => {
  test('a request that is nested 100,000 deep is refused, wherever it is', () => {
    const deep = nested(100_000)
    for (const body of [
      deep,
      { input: deep },
      { input: [{ role: 'user', content: deep }] },
      withTools({ type: 'function', name: 'f', parameters: { properties: deep } }),
      { input: 'hi', client_metadata: deep },
      JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`),
    ]) {
      const { code, param, message } = errorOf(body).body.error
      expect(code).toBe('invalid_value')
      expect(message).toMatch(/nested too deeply. Expected at most 100 levels of objects and arrays.$/)
      expect(String(param).length).toBeLessThan(300)
    }
  })

  test('a request may have 100 levels, itself included', () => {
    const parameters = (levels: number) => withTools({ type: 'function', name: 'f', parameters: { a: nested(levels) } })
    // The body, tools, the tool and its parameters are four.
    expect(parseRequest(parameters(96))).toBeDefined()
    expect(errorOf(parameters(97)).message).toMatch(/nested too deeply/)
  })

  test('the limit of depth is an option', () => {
    const body = { input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }] }
    expect(parseRequest(body, { limits: { depth: 5 } })).toBeDefined()
    expect(errorOf(body, { limits: { depth: 4 } }).param).toBe('input[0].content[0]')
  })
})

describe('length', () => {
  test('an array longer than allowed is refused', () => {
    const input = Array.from({ length: 4 }, () => ({ role: 'user', content: 'hi' }))
    expect(parseRequest({ input }, { limits: { items: 4 } }).input).toHaveLength(4)
    expect(refusal({ input }, { limits: { items: 3 } })).toBe(
      "input array_above_max_length: Invalid 'input': array too long. Expected an array with maximum length 3, but " +
        'got an array with length 4 instead.',
    )
    const content = Array.from({ length: 4 }, () => ({ type: 'input_text', text: 'hi' }))
    expect(errorOf({ input: [{ role: 'user', content }] }, { limits: { items: 3 } }).param).toBe('input[0].content')
  })

  test('tools have a limit of their own', () => {
    const tools = Array.from({ length: 4 }, (_, at) => ({ type: 'function', name: `f${at}` }))
    expect(parseRequest(withTools(...tools), { limits: { items: 1 } }).tools).toHaveLength(4)
    expect(errorOf(withTools(...tools), { limits: { tools: 3 } })).toMatchObject({
      param: 'tools',
      code: 'array_above_max_length',
    })
  })

  test('a string longer than allowed is refused, and so is a key', () => {
    const limits = { stringLength: 12 }
    expect(parseRequest({ input: 'twelve chars' }, { limits })).toBeDefined()
    expect(refusal({ input: 'thirteen char' }, { limits })).toBe(
      "input string_above_max_length: Invalid 'input': string too long. Expected a string with maximum length 12, " +
        'but got a string with length 13 instead.',
    )
    expect(errorOf({ input: 'hi', a_longer_name: 1 }, { limits }).param).toBe('a_longer_name')
  })

  test('without options, a conversation of 100,000 items is read, and a longer one refused', () => {
    const items = (length: number) => ({ input: Array.from({ length }, () => ({ role: 'user', content: 'hi' })) })
    expect(parseRequest(items(100_000)).input).toHaveLength(100_000)
    expect(errorOf(items(100_001)).code).toBe('array_above_max_length')
  })

  test('without options, a string of 20 MiB is read, and a longer one refused', () => {
    const longest = 20 * 1024 * 1024
    expect(parseRequest({ input: 'x'.repeat(longest) }).input).toHaveLength(longest)
    expect(errorOf({ input: 'x'.repeat(longest + 1) }).code).toBe('string_above_max_length')
  })
})

describe('the part of a request that an error shows', () => {
  test('an error is short, though names and values of the client are long', () => {
    const long = 'x'.repeat(1_000_000)
    for (const body of [
      { input: 'hi', truncation: long },
      { input: 'hi', metadata: { [long]: 1 } },
      { input: [{ type: long }] },
      { input: 'hi', tool_choice: { type: long } },
      withTools({ type: 'function', name: long }),
      { input: 'hi', [long]: { [long]: 1n } },
    ]) {
      let shown = ''
      try {
        parseRequest(body, { unknown: 'refuse' })
      } catch (error) {
        shown = JSON.stringify(
          error,
          Object.getOwnPropertyNames(error).filter((name) => name !== 'stack'),
        )
      }
      expect(shown).not.toBe('')
      expect(shown.length).toBeLessThan(1_500)
    }
  })
})
