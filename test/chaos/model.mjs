import { setTimeout as wait } from 'node:timers/promises'
import { EngineError } from '../../dist/engines/contract/index.js'
import { answer, call, scriptedEngine, think } from '../../dist/testing/index.js'

/*
 * What the model says follows from the prompt, so that every process has the same model: the last user's message is JSON,
 * which says what shall be called and how long the answer is.
 */

/** A schema whose bodies the model writes, for requests that ask for it. */
export const SCHEMA = {
  type: 'object',
  properties: { task: { type: 'integer' }, words: { type: 'array', items: { type: 'string' } } },
  required: ['task', 'words'],
  additionalProperties: false,
}

const WORDS = ['every', 'token', 'is', 'written', 'before', 'it', 'is', 'shown', '\u00fcber', '\u{1f30b}', '\n']

/** The text of a task's answer. */
export function answerOf({ task, words, isStrict }) {
  const said = Array.from({ length: words }, (_, at) => WORDS[(task * 7 + at * 3) % WORDS.length])
  return isStrict ? JSON.stringify({ task, words: said }) : `${task}: ${said.join(' ')}`
}

function turnAfter({ messages }) {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const said = JSON.parse(messages[asked].content)
  const results = messages.slice(asked).filter(({ role }) => role === 'tool').length
  const next = said.calls[results]
  if (next === undefined) return [think('I know.'), answer(answerOf(said))]
  return [think(`I need ${next}.`), call(next, { order: `${said.task}.${results}` })]
}

/**
 * An engine whose process may die: `die()` ends all of its calls, and later ones are answered by the next process.
 *
 * @param tokenMs - how long the model takes for a token
 */
export function createModel({ tokenTable, tokenMs }) {
  const engine = scriptedEngine(turnAfter, { tokenTable, remembered: 500 })
  let deaths = 0
  return {
    ...engine,
    die() {
      deaths += 1
    },
    generate(prompt, options = {}) {
      const tokens = engine.generate(prompt, options)
      const born = deaths
      async function* paced() {
        try {
          for (;;) {
            const step = await tokens.next()
            if (step.done) return step.value
            await wait(tokenMs)
            if (deaths !== born) throw new EngineError('server_error', 'the engine died')
            yield step.value
          }
        } finally {
          await tokens.return()
        }
      }
      return paced()
    },
  }
}
