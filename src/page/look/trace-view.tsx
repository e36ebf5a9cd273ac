import { type Signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { EventRecord, MessageRecord } from '../../core/trace/index.js'
import type { TracedPrompt } from '../../endpoint/server/service/trace/response-trace.js'
import { shortened } from '../../shared/shortened.js'
import { CopyButton } from '../parts/copy-button.js'
import { ShownText, shownText } from '../parts/shown-text.js'
import type { ShownRecord } from '../worker/look-result.js'
import { DiagnosticsList } from './diagnostics-list.js'
import { Lanes } from './lanes.js'
import { chanceOf, Probabilities, percentOf } from './probabilities.js'
import { PromptView } from './prompt-view.js'
import { eventsUpTo, lastOf, messagesAround } from './reached.js'
import { TokenRows } from './token-rows.js'
import { listsOf, type ShownToken } from './trace.js'

/** The most characters of a text that are shown in its line, and of an event's JSON. */
const MAX_LINE = 200
const MAX_JSON = 20_000

/** The most events of the parser that are named for a token. */
const MAX_DID = 12

/** A response as its tokens, with its messages above and its events below, step by step. */
export function TraceView({
  what,
  records,
  prompt,
  isLive,
}: {
  readonly what: string
  readonly records: readonly ShownRecord[]
  readonly prompt: TracedPrompt | undefined
  /** Whether more may follow: its last token is shown until another one is chosen. */
  readonly isLive: boolean
}): JSX.Element {
  const { tokens, messages, events, diagnostics, harmony } = useMemo(() => listsOf(records), [records])
  const last = Math.max(0, tokens.length - 1)
  const step = useFollowing(last, isLive)
  const chosen = useSignal<EventRecord | undefined>(undefined)
  const at = tokens[step.value]
  const reached = step.value >= last ? events : eventsUpTo(events, step.value)
  const around = messagesAround(messages, step.value)
  const shown = lastOf(reached)
  const isShaded = useSignal(true)
  const go = (index: number): void => {
    step.value = Math.min(Math.max(index, 0), last)
    chosen.value = undefined
  }
  return (
    <div class={`trace${isLive ? ' live' : ''}${isShaded.value ? ' shaded' : ''}`}>
      <h2>
        {shownText(`${what}: ${tokens.length} tokens and chunks, ${messages.length} messages, ${events.length} events`)}
      </h2>
      <div class="steps">
        <button type="button" aria-label="Step back" onClick={() => go(step.value - 1)}>
          ‹
        </button>
        <input
          type="range"
          min={0}
          max={last}
          value={step.value}
          aria-label="Token"
          aria-valuetext={`Token ${step.value + 1} of ${tokens.length}`}
          onInput={({ currentTarget }) => go(Number(currentTarget.value))}
        />
        <button type="button" aria-label="Step on" onClick={() => go(step.value + 1)}>
          ›
        </button>
        <output>{`${step.value + 1} of ${tokens.length}`}</output>
        <Lanes last={last} messages={messages} diagnostics={diagnostics} onChoose={go} />
      </div>
      {prompt !== undefined && <PromptView prompt={prompt} />}
      <section aria-label="Messages">
        <h3>Messages</h3>
        <div class="choices">
          {around.list.map((message) => (
            <button
              key={message.from}
              type="button"
              aria-pressed={message.from <= step.value && step.value <= message.to}
              onClick={() => go(message.from)}
            >
              {shownText(nameOf(message))}
            </button>
          ))}
        </div>
        {around.list.length < messages.length && (
          <p class="note">
            Messages {around.before + 1} to {around.before + around.list.length} of {messages.length}. Step on or back
            to see others.
          </p>
        )}
      </section>
      <section aria-label="Tokens">
        <h3>Tokens</h3>
        <TokenRows tokens={tokens} at={step.value} of={chosen.value} onChoose={go} />
        <p class="legend note">
          <span class="token model content">by the model</span> <span class="token model header">its header</span>{' '}
          <span class="token host content">by the host</span>
        </p>
        <Probabilities tokens={tokens} isShaded={isShaded} onChoose={go} />
        {at === undefined ? (
          <p class="details" />
        ) : (
          <Details token={at} did={(harmony.get(at.index) ?? []).map(({ event }) => event.type)} />
        )}
      </section>
      <DiagnosticsList diagnostics={diagnostics} at={step.value} onChoose={go} />
      <section aria-label="Events">
        <h3>
          <span>{`Events so far: ${reached.length} of ${events.length}`}</span>
          <CopyButton text={() => reached.map(({ event }) => JSON.stringify(event)).join('\n')} what="these events" />
        </h3>
        <Earlier count={shown.before} />
        <ol class="events" start={shown.before + 1}>
          {shown.list.map((record) => (
            <li key={record.event.sequence_number}>
              <button
                type="button"
                class={record.to === step.value ? 'new' : ''}
                aria-pressed={record === chosen.value}
                onClick={() => {
                  chosen.value = record === chosen.value ? undefined : record
                }}
              >
                <span class="code">{record.event.type.replace('response.', '')}</span>
                {'delta' in record.event && (
                  <span class="delta">{shownText(shortened(`${record.event.delta}`, MAX_LINE))}</span>
                )}
              </button>
              {record === chosen.value && (
                <div class="code block">
                  <ShownText text={shortened(JSON.stringify(record.event, null, 2), MAX_JSON)} />
                </div>
              )}
            </li>
          ))}
        </ol>
      </section>
    </div>
  )
}

function Earlier({ count }: { readonly count: number }): JSX.Element | null {
  if (count === 0) return null
  return <p class="note">The first {count} of them are not listed. Step back to see them.</p>
}

/** The token that is shown: the first one, or the last one as long as no other is chosen, while more follow. */
function useFollowing(last: number, isLive: boolean): Signal<number> {
  const step = useSignal(isLive ? last : 0)
  const reached = useRef(last)
  useLayoutEffect(() => {
    if (isLive && step.value === reached.current) step.value = last
    reached.current = last
  }, [last])
  return step
}

/** The words of a message's header. */
function nameOf({ header: { role, name, channel, recipient } }: MessageRecord): string {
  const who = role === 'assistant' ? (channel ?? 'assistant') : (name ?? role)
  return recipient === undefined || recipient === 'assistant' ? who : `${who} to ${recipient}`
}

function Details({ token, did }: { readonly token: ShownToken; readonly did: readonly string[] }): JSX.Element {
  const { text, token: id, origin, position, logprob, alternatives = [], hidden } = token
  if (hidden !== undefined) return <p class="details note">The server does not show this token, by the {origin}.</p>
  const facts = [
    id === null ? 'text' : `id ${id}`,
    `by the ${origin}`,
    position === 'between' ? 'between messages' : `in the ${position}`,
    ...(logprob === undefined ? [] : [`probability ${percentOf(logprob)}`]),
    ...(alternatives.length === 0 ? [] : [`of ${alternatives.map(chanceOf).join(', ')}`]),
    ...did.slice(0, MAX_DID),
    ...(did.length > MAX_DID ? [`and ${did.length - MAX_DID} more`] : []),
  ]
  return (
    <p class="details">
      <span class="code">{shownText(JSON.stringify(shortened(text, MAX_LINE)))}</span>{' '}
      <span class="note">{shownText(facts.join(', '))}</span>
    </p>
  )
}
