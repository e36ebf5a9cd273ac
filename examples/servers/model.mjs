// The model of the servers in this folder: a script. In its place goes any engine: docs/engines.md.
import { loadTokenTable } from 'harmony-responses'
import { toGenerateOptions } from 'harmony-responses/engine'
import { renderPrompt } from 'harmony-responses/prompt'
import { answer, scriptedEngine, think } from 'harmony-responses/testing'

const tokenTable = await loadTokenTable()
const engine = scriptedEngine(() => [think('They greet me.'), answer('Hello! How can I help?')], { tokenTable })

/** Returns the tokens that the model writes for a request, until the signal aborts. */
export function generate(request, signal) {
  const { tokens } = renderPrompt(request, { tokenTable, date: new Date().toISOString().slice(0, 10) })
  return engine.generate(tokens, { ...toGenerateOptions(request), signal })
}
