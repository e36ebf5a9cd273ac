import type { JSX } from 'preact'
import type { DiagnosticRecord, MessageRecord } from '../../core/trace/index.js'

/** The most messages, and the most diagnostics, that are drawn: a lane has hardly more pixels. */
const MAX_DRAWN = 500

/**
 * Where the messages and the diagnostics are, below the slider's line. For the mouse: the list of messages and that of
 * diagnostics have the same as buttons.
 */
export function Lanes({
  last,
  messages,
  diagnostics,
  onChoose,
}: {
  readonly last: number
  readonly messages: readonly MessageRecord[]
  readonly diagnostics: readonly DiagnosticRecord[]
  readonly onChoose: (index: number) => void
}): JSX.Element {
  const percent = (index: number): string => `${(100 * Math.min(Math.max(index, 0), last)) / Math.max(1, last)}%`
  return (
    <div
      class="lanes"
      aria-hidden="true"
      onClick={({ currentTarget, clientX }) => {
        const { left, width } = currentTarget.getBoundingClientRect()
        onChoose(Math.round(((clientX - left) / width) * last))
      }}
    >
      {messages.slice(0, MAX_DRAWN).map(({ from, to, origin, header }) => (
        <span
          key={`message ${from}`}
          class={`lane ${origin} ${header.channel === 'final' ? 'final' : ''}`}
          style={{ left: percent(from), right: `calc(100% - ${percent(to)})` }}
        />
      ))}
      {diagnostics.slice(0, MAX_DRAWN).map(({ index, code }, place) => (
        <span key={`${place} ${code}`} class="tick" style={{ left: percent(index) }} />
      ))}
    </div>
  )
}
