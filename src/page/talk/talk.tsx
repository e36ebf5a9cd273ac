import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { AboutPage } from '../../cli/serve/about-page.js'
import { Composer } from './composer.js'
import { isTooLarge, restore, startConversation, turns } from './conversation.js'
import { Examples } from './examples.js'
import { SettingsForm } from './settings-form.js'
import { TurnView } from './turn-view.js'

/** How near to its end a text has to be shown for it to follow what is added, in pixels. */
const NEAR = 60

/** A conversation with the model. */
export function Talk({ about, hasKey }: { readonly about: AboutPage; readonly hasKey: boolean }): JSX.Element {
  const showsSettings = useSignal(false)
  useEffect(() => {
    restore()
  }, [])
  const client = { url: location.origin + location.pathname.replace(/\/$/, ''), hasKey, ...about }
  return (
    <div class="talk">
      <section class="conversation" aria-label="Conversation">
        <Transcript length={turns.value.length}>
          {turns.value.length === 0 ? (
            <Examples about={about} />
          ) : (
            turns.value.map((turn, index) => (
              <TurnView key={turn.key} turn={turn} client={client} isLast={index === turns.value.length - 1} />
            ))
          )}
        </Transcript>
        {isTooLarge.value && (
          <p class="notice" role="status">
            This conversation is too large for the tab to keep: a reload would lose it.
          </p>
        )}
        <Composer about={about} client={client} showsSettings={showsSettings} />
      </section>
      <aside class={`settings ${showsSettings.value ? 'open' : ''}`} id="settings" aria-label="Options">
        <button type="button" disabled={turns.value.length === 0} onClick={startConversation}>
          New conversation
        </button>
        <SettingsForm about={about} />
      </aside>
    </div>
  )
}

/** Scrolls, and follows what is added while its end is in view. A new turn brings its end into view. */
function Transcript({
  length,
  children,
}: {
  readonly length: number
  readonly children: JSX.Element | JSX.Element[]
}): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  const follows = useRef(false)
  useLayoutEffect(() => {
    follows.current = length > 0
  }, [length])
  useLayoutEffect(() => {
    const { current } = place
    if (current === null) return
    const observer = new ResizeObserver(() => {
      if (follows.current) current.scrollTop = current.scrollHeight
    })
    for (const child of current.children) observer.observe(child)
    return () => observer.disconnect()
  })
  return (
    <section
      class="transcript"
      ref={place}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard.
      tabIndex={0}
      aria-label="Messages"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR
      }}
    >
      <div class="column">{children}</div>
    </section>
  )
}
