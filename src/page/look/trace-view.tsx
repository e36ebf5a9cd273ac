import { type Signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { EventRecord, MessageRecord } from '../../core/trace/index.js'
import { CopyButton } from '../parts/copy-button.js'
import { ShownText, shownText } from '../parts/shown-text.js'
import type { ShownRecord } from '../worker/looked.js'
import { classOf, listsOf, type ShownToken } from './trace.js'

/** How many tokens a block has, which a browser leaves out while it is not in view. */
const BLOCK = 200

/** The most events that are listed up to a token. */
const MAX_EVENTS = 300

interface Range {
  readonly from: number
  readonly to: number
}

/** A response as its tokens, with its messages above and its events below, step by step. */
export function TraceView({
  what,
  records,
  isLive,
}: {
  readonly what: string
  readonly records: readonly ShownRecord[]
  /** Whether more may follow: its last token is shown until another one is chosen. */
  readonly isLive: boolean
}): JSX.Element {
  const { tokens, messages, events, diagnostics, harmony } = useMemo(() => listsOf(records), [records])
  const last = Math.max(0, tokens.length - 1)
  const step = useFollowing(last, isLive)
  const chosen = useSignal<EventRecord | undefined>(undefined)
  const at = tokens[step.value]
  const reached = events.filter(({ to }) => to <= (step.value >= last ? Number.POSITIVE_INFINITY : step.value))
  const told = diagnostics.filter(({ index }) => step.value >= last || (index ?? 0) <= step.value)
  const go = (index: number): void => {
    step.value = Math.min(Math.max(index, 0), last)
    chosen.value = undefined
  }
  return (
    <div class={isLive ? 'trace live' : 'trace'}>
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
      </div>
      <section aria-label="Messages">
        <h3>Messages</h3>
        <div class="choices">
          {messages.map((message) => (
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
      </section>
      <section aria-label="Tokens">
        <h3>Tokens</h3>
        <Tokens tokens={tokens} at={step.value} of={chosen.value} onChoose={go} />
        <p class="legend note">
          <span class="token model content">by the model</span> <span class="token model header">its header</span>{' '}
          <span class="token host content">by the host</span>
        </p>
        {at === undefined ? (
          <p class="details" />
        ) : (
          <Details token={at} did={(harmony.get(at.index) ?? []).map(({ event }) => event.type)} />
        )}
      </section>
      {told.length > 0 && (
        <section aria-label="Diagnostics">
          <h3>Diagnostics</h3>
          <ul>
            {told.map(({ index, code, explanation }) => (
              <li key={`${index} ${code}`}>
                <b>{code}</b>
                {index !== undefined && <span class="kind"> at token {index + 1}</span>}: {shownText(explanation)}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Events">
        <h3>
          <span>{`Events so far: ${reached.length} of ${events.length}`}</span>
          <CopyButton text={reached.map(({ event }) => JSON.stringify(event)).join('\n')} what="these events" />
        </h3>
        {reached.length > MAX_EVENTS && (
          <p class="note">The first {reached.length - MAX_EVENTS} of them are not listed. Step back to see them.</p>
        )}
        <ol class="events" start={Math.max(1, reached.length - MAX_EVENTS + 1)}>
          {reached.slice(-MAX_EVENTS).map((record) => (
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
                {'delta' in record.event && <span class="delta">{shownText(`${record.event.delta}`)}</span>}
              </button>
              {record === chosen.value && (
                <div class="code block">
                  <ShownText text={JSON.stringify(record.event, null, 2)} />
                </div>
              )}
            </li>
          ))}
        </ol>
      </section>
    </div>
  )
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
  const { text, token: id, origin, position, logprob, hidden } = token
  if (hidden !== undefined) return <p class="details note">The server does not show this token, by the {origin}.</p>
  const facts = [
    id === null ? 'text' : `id ${id}`,
    `by the ${origin}`,
    position === 'between' ? 'between messages' : `in the ${position}`,
    ...(logprob === undefined ? [] : [`probability ${Math.round(100 * Math.exp(logprob))} %`]),
    ...did,
  ]
  return (
    <p class="details">
      <span class="code">{shownText(JSON.stringify(text))}</span> <span class="note">{facts.join(', ')}</span>
    </p>
  )
}

/** All tokens. They are drawn once: what is chosen changes classes alone. The slider above does the same by the keyboard. */
function Tokens({
  tokens,
  at,
  of,
  onChoose,
}: {
  readonly tokens: readonly ShownToken[]
  readonly at: number
  readonly of: Range | undefined
  readonly onChoose: (index: number) => void
}): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  const drawn = useMemo(() => {
    const blocks = Array.from({ length: Math.ceil(tokens.length / BLOCK) }, (_, index) => index * BLOCK)
    return blocks.map((from) => (
      <div key={from} class="tokens-block">
        {tokens.slice(from, from + BLOCK).map((token, index) => (
          <span key={token.index} class={classOf(token)} data-at={from + index}>
            {shownText(token.text)}
          </span>
        ))}
      </div>
    ))
  }, [tokens])
  useLayoutEffect(() => {
    const found: Element[] = []
    const mark = (index: number, name: string): void => {
      const element = place.current?.querySelector(`[data-at="${index}"]`)
      element?.classList.add(name)
      if (element) found.push(element)
    }
    mark(at, 'at')
    if (of !== undefined) for (let index = Math.max(of.from, 0); index <= of.to; index++) mark(index, 'chosen')
    return () => {
      for (const element of found) element.classList.remove('at', 'chosen')
    }
  }, [at, of, tokens])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the slider is for the keyboard.
    // biome-ignore lint/a11y/noStaticElementInteractions: the same.
    <div
      class="tokens code"
      ref={place}
      onClick={({ target }) => {
        const index = (target as Element).closest('[data-at]')?.getAttribute('data-at')
        if (index != null) onChoose(Number(index))
      }}
    >
      {drawn}
    </div>
  )
}
