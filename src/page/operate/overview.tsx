import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { forget, now, refresh, troubles } from './figures.js'
import { LastHour } from './last-hour.js'
import { Panel } from './panel.js'
import { PartsList } from './parts-list.js'
import { RequestsTable } from './requests-table.js'
import { RunningTable } from './running-table.js'
import { bytesWords, numberWords, timeWords } from './words.js'

/** All figures. What grows has a place of its own that scrolls: nothing else moves when it does. */
export function Overview({ hasKey }: { readonly hasKey: boolean }): JSX.Element {
  const isPaused = useSignal(false)
  useEffect(() => {
    if (isPaused.value) return undefined
    const leaving = new AbortController()
    refresh(leaving.signal)
    return () => leaving.abort()
  }, [isPaused.value])
  const { at, running, waiting, tokens_per_second, memory } = now.value ?? {}
  const [trouble] = Object.values(troubles.value)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard.
    <section class="operate" tabIndex={0} aria-label="Operate">
      <div class="bar">
        <div class="said">
          <p class="note">{at === undefined ? '' : `As of ${timeWords(at)}`}</p>
          <p class="wrong" role="status">
            {trouble}
          </p>
        </div>
        <button
          type="button"
          aria-pressed={isPaused.value}
          onClick={() => {
            isPaused.value = !isPaused.value
          }}
        >
          Pause
        </button>
        {hasKey && (
          <button type="button" class="quiet" onClick={forget}>
            Forget the operator's key
          </button>
        )}
      </div>
      <dl class="tiles">
        <Tile name="Running">{numberWords(running?.length ?? null)}</Tile>
        <Tile name="Waiting">{numberWords(waiting ?? null)}</Tile>
        <Tile name="Tokens a second">{numberWords(tokens_per_second ?? null)}</Tile>
        <Tile name={memory === undefined ? 'Memory' : `Memory, of ${bytesWords(memory.total_bytes)}`}>
          {bytesWords(memory?.used_bytes ?? null)}
        </Tile>
      </dl>
      <Panel title="Running now" kind="now">
        <RunningTable />
      </Panel>
      <Panel title="Engines, MCP servers and store" kind="parts">
        <PartsList />
      </Panel>
      <LastHour />
      <RequestsTable />
    </section>
  )
}

function Tile({ name, children }: { readonly name: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
