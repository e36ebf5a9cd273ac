import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { checkGenerate } from '../../../src/engines/contract/check-generate.js'
import { toGenerateOptions } from '../../../src/engines/contract/index.js'

const LOGPROBS = 'message.output_text.logprobs'

describe('the options of a request for an engine', () => {
  test('the options of a request for an engine are its sampling, its limit and its log-probabilities', () => {
    const limits = { max_output_tokens: 64, top_logprobs: 3, include: [LOGPROBS] }
    expect(toGenerateOptions({ temperature: 0.2, top_p: 0.9, seed: -7, ...limits })).toEqual({
      sampling: { temperature: 0.2, topP: 0.9, seed: -7 },
      maxTokens: 64,
      logprobs: 3,
    })
  })

  test.each([
    ['a request that says nothing', {}],
    [
      'a request whose parameters are null',
      { temperature: null, top_p: null, seed: null, max_output_tokens: null, include: null },
    ],
  ])('an engine is asked for nothing by %s', (_, request) => {
    expect(toGenerateOptions(request)).toEqual({ sampling: {} })
  })

  test('the options of a request for an engine have only the log-probability of each token if it includes them and asks for no others', () => {
    expect(toGenerateOptions({ include: [LOGPROBS] })).toEqual({ sampling: {}, logprobs: 0 })
  })

  test('the options of a request for an engine have no log-probabilities if it does not include them, as in the API', () => {
    expect(toGenerateOptions({ top_logprobs: 5, include: ['reasoning.encrypted_content'] })).toEqual({ sampling: {} })
  })

  test.each([
    ['temperature', 3, 'request.temperature: expected a number from 0 to 2, got 3'],
    ['temperature', 'hot', 'request.temperature: expected a number from 0 to 2, got "hot"'],
    ['top_p', -0.1, 'request.top_p: expected a number from 0 to 1, got -0.1'],
    [
      'seed',
      2 ** 53,
      'request.seed: expected a whole number from -9007199254740991 to 9007199254740991, got 9007199254740992',
    ],
    ['max_output_tokens', 0, 'request.max_output_tokens: expected a whole number of at least 1, got 0'],
    ['top_logprobs', 21, 'request.top_logprobs: expected a whole number from 0 to 20, got 21'],
  ])('the options of a request for an engine are refused if %s is %j', (name, value, message) => {
    expect(() => toGenerateOptions({ [name]: value })).toThrow(message)
  })

  test('the options of a request for an engine are accepted by every engine, or refused here', () => {
    const value = fc.oneof(
      fc.double(),
      fc.integer({ min: -2, max: 200 }),
      fc.constantFrom(null, undefined, 'x', {}, []),
    )
    const request = fc.record({
      temperature: value,
      top_p: value,
      max_output_tokens: value,
      top_logprobs: value,
      include: fc.constantFrom([LOGPROBS], [], null),
    })
    fc.assert(
      fc.property(request, (asked) => {
        let options: ReturnType<typeof toGenerateOptions>
        try {
          options = toGenerateOptions(asked as ResponseRequest)
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad_option', message: expect.stringMatching(/^request\.\w+: expected/) })
          return
        }
        checkGenerate([200006], options)
      }),
    )
  })
})
