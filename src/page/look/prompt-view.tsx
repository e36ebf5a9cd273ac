import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { spellToken } from '../../core/text/logprobs.js'
import { loadTokenTable } from '../../core/tokens/load-token-table.js'
import type { TracedPrompt, TracedPromptMessage } from '../../endpoint/server/service/trace/response-trace.js'
import { shownText } from '../parts/shown-text.js'

/** The most messages that are listed: the last ones. */
const MAX_MESSAGES = 500

/** How many tokens of a message are shown, and how many more each time. */
const MORE_TOKENS = 2_000

/** How many colours there are: neighbours have different ones. */
const TINTS = 6

/** The prompt of an answer by its messages: which item each token came from. */
export function PromptView({ prompt }: { readonly prompt: TracedPrompt }): JSX.Element {
  const { tokens, messages } = prompt
  const from = Math.max(0, (messages?.length ?? 0) - MAX_MESSAGES)
  const listed = messages?.slice(from) ?? []
  return (
    <details class="fold prompt">
      <summary>{`Prompt: ${tokens} tokens${messages === null ? '' : ` in ${messages.length} messages`}`}</summary>
      {messages === null && (
        <p class="note">Its messages are not known any more: what it continued is not stored, or has changed.</p>
      )}
      {from > 0 && <p class="note">{`The first ${from} messages are not listed.`}</p>}
      <div class="spans" aria-hidden="true">
        {listed.map(({ start, end }, place) => (
          <span key={start} class={tintOf(place)} style={{ flexGrow: end - start }} />
        ))}
      </div>
      {listed.map((message, place) => (
        <PromptMessage key={message.start} message={message} tint={tintOf(place)} />
      ))}
    </details>
  )
}

function tintOf(place: number): string {
  return `tint-${place % TINTS}`
}

function PromptMessage({
  message: { role, channel, recipient, start, end, item, item_id: id, ids },
  tint,
}: {
  readonly message: TracedPromptMessage
  readonly tint: string
}): JSX.Element {
  const texts = useSignal<readonly string[]>([])
  const count = useSignal(MORE_TOKENS)
  const who = [role, channel, recipient === undefined ? undefined : `to ${recipient}`].filter((each) => each).join(', ')
  const spell = async (): Promise<void> => {
    if (ids === null || texts.value.length > 0) return
    const table = await loadTokenTable()
    texts.value = ids.map((each) => spellToken(each, table))
  }
  return (
    <details
      class={`prompt-message ${tint}`}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) spell()
      }}
    >
      <summary>
        <b>{shownText(who)}</b>{' '}
        <span class="kind">
          {item === undefined ? 'of no item' : `from item ${item + 1}`}
          {id !== undefined && <> {shownText(id)}</>}
          {`, tokens ${start + 1} to ${end}`}
        </span>
      </summary>
      {ids === null ? (
        <p class="note">{`${end - start} tokens, which are not shown`}</p>
      ) : (
        <p class="code prompt-tokens">
          {texts.value.slice(0, count.value).map((text, place) => (
            <span key={place} title={`Token ${start + place + 1}, id ${ids[place]}`}>
              {shownText(text)}
            </span>
          ))}
        </p>
      )}
      {texts.value.length > count.value && (
        <button
          type="button"
          onClick={() => {
            count.value += MORE_TOKENS
          }}
        >
          {`Show more: ${texts.value.length - count.value} tokens follow`}
        </button>
      )}
    </details>
  )
}
