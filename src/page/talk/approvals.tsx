import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { shownText } from '../parts/shown-text.js'
import { reply, type Turn } from './conversation.js'

/** The calls of an answer that wait for the user's consent. They are sent together, once each is decided. */
export function Approvals({ turn }: { readonly turn: Turn }): JSX.Element | null {
  const decided = useSignal<Readonly<Record<string, boolean>>>({})
  const asked = turn.answer.items.flatMap((shown) => (shown?.item.type === 'mcp_approval_request' ? [shown.item] : []))
  if (asked.length === 0) return null

  function decide(id: string, approve: boolean): void {
    decided.value = { ...decided.value, [id]: approve }
    const answers = asked.map((item) => [item.id ?? '', decided.value[item.id ?? '']] as const)
    if (answers.some(([, answer]) => answer === undefined)) return
    reply(
      turn,
      answers.map(([approval_request_id, answer]) => ({
        type: 'mcp_approval_response',
        approval_request_id,
        approve: answer,
      })),
    )
  }

  return (
    <div class="decisions">
      {asked.map((item) => {
        const id = item.id ?? ''
        const name = `${item['server_label']}.${item['name']}`
        const decision = decided.value[id]
        return (
          <fieldset key={id} class="decision" aria-label={`Run ${name}?`}>
            <span>Run {shownText(name)}?</span>
            <button type="button" class="main" aria-pressed={decision === true} onClick={() => decide(id, true)}>
              Approve
            </button>
            <button type="button" aria-pressed={decision === false} onClick={() => decide(id, false)}>
              Decline
            </button>
          </fieldset>
        )
      })}
    </div>
  )
}
