import { expect, test } from 'vitest'
import { EngineError } from '../../../../src/engines/contract/index.js'
import { holdLog } from '../../../../src/engines/sources/llama-cpp/held-log.js'
import type { OwnLlama } from '../../../../src/engines/sources/llama-cpp/node-llama-cpp.js'

function logging(): { readonly llama: OwnLlama; readonly logged: string[] } {
  const logged: string[] = []
  const llama = { logger: (level: string, message: string) => void logged.push(`${level}: ${message}`) }
  return { llama: llama as OwnLlama, logged }
}

test('what llama.cpp logs while it loads becomes part of the error, each line once', () => {
  const { llama, logged } = logging()
  const log = holdLog(llama)
  for (const line of ['no tensor\n', 'no tensor\n', 'failed']) llama.logger('error', line)
  const cause = new Error('Failed to load model')
  const error = log.explained(new EngineError('server_error', 'The model cannot be loaded', { cause }))
  expect(error).toMatchObject({
    code: 'server_error',
    message: 'The model cannot be loaded (no tensor; failed)',
    cause,
  })
  expect(logged).toEqual([])
})

test('an error of another kind, or without a log, is thrown as it is', () => {
  const { llama } = logging()
  const log = holdLog(llama)
  const engineError = new EngineError('server_error', 'x')
  expect(log.explained(engineError)).toBe(engineError)
  llama.logger('error', 'failed')
  const aborted = new Error('enough')
  expect(log.explained(aborted)).toBe(aborted)
})

test('a log of many lines is cut', () => {
  const { llama } = logging()
  const log = holdLog(llama)
  for (let line = 0; line < 1000; line++) llama.logger('error', `line ${line}`)
  const error = log.explained(new EngineError('server_error', 'x'))
  expect(error).toMatchObject({ message: 'x (line 0; line 1; line 2; line 3; line 4)' })
})

test('a load that succeeds logs what was held, and everything later at once', () => {
  const { llama, logged } = logging()
  const log = holdLog(llama)
  llama.logger('error', 'less memory')
  expect(logged).toEqual([])
  log.release()
  llama.logger('error', 'later')
  expect(logged).toEqual(['error: less memory', 'error: later'])
})
