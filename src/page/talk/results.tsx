import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { shownText } from '../parts/shown-text.js'
import { reply, type Turn } from './conversation.js'

/** The calls whose result the user types in, and the items of their results. */
const OUTPUTS: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
}

/** The calls of an answer that a program of the client would run: here, its user says what came of them. */
export function Results({ turn }: { readonly turn: Turn }): JSX.Element | null {
  const typed = useSignal<Readonly<Record<string, string>>>({})
  const calls = turn.answer.items.flatMap((shown) => (shown && shown.item.type in OUTPUTS ? [shown.item] : []))
  if (calls.length === 0 || turn.answer.status !== 'completed') return null
  return (
    <form
      class="decisions"
      onSubmit={(event) => {
        event.preventDefault()
        reply(
          turn,
          calls.map((call) => ({
            type: OUTPUTS[call.type] ?? '',
            call_id: call['call_id'],
            output: typed.value[`${call['call_id']}`] ?? '',
          })),
        )
      }}
    >
      {calls.map((call) => {
        const id = `${call['call_id']}`
        return (
          <label key={id} class="result">
            Result of {shownText(`${call['name']}`)}
            <textarea
              rows={2}
              class="code"
              required
              value={typed.value[id] ?? ''}
              onInput={({ currentTarget }) => {
                typed.value = { ...typed.value, [id]: currentTarget.value }
              }}
            />
          </label>
        )
      })}
      <div class="actions">
        <button type="submit" class="main">
          {calls.length === 1 ? 'Send the result' : 'Send the results'}
        </button>
      </div>
    </form>
  )
}
