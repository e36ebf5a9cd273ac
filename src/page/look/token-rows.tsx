import { type Signal, useSignal } from '@preact/signals'
import type { JSX, RefObject } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { shownText } from '../parts/shown-text.js'
import { layOut, piecesOf, type Rows, rowOf } from './rows.js'
import { classOf, type ShownToken } from './trace.js'

/** How many rows come and go together, and how many more are there above and below than are seen. */
const STEP = 20

/** How many columns the probe has, by which the width of one is measured. */
const PROBED = 10

interface Range {
  readonly from: number
  readonly to: number
}

/** What is measured of the place: the columns and the height of a row, in pixels, and how many rows are seen. */
interface Measured {
  readonly columns: number
  readonly height: number
  readonly seen: number
}

/** All tokens, of which only rows around those that are seen exist. The slider above chooses one by the keyboard. */
export function TokenRows({
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
  const { columns, height, seen } = useMeasured(place).value
  const rows = useMemo(() => layOut(columns === 0 ? [] : tokens, columns), [tokens, columns])
  const first = useSignal(0)
  const follow = (): void => {
    first.value = Math.floor((place.current?.scrollTop ?? 0) / height / STEP) * STEP
  }
  const shown = of === undefined ? at : Math.max(of.from, 0)
  useLayoutEffect(() => {
    const row = rowOf(rows, shown)
    const { scrollTop = 0, clientHeight = 0 } = place.current ?? {}
    const isSeen = row * height >= scrollTop && (row + 1) * height <= scrollTop + clientHeight
    if (!isSeen) place.current?.scrollTo(0, row * height - clientHeight / 2)
    follow()
  }, [rows, shown])
  const from = Math.max(0, Math.min(first.value, rows.count) - STEP)
  const to = Math.min(rows.count, first.value + seen + 2 * STEP)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the slider is for the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: the section around it has a name already.
    <div
      class="tokens code"
      ref={place}
      role="group"
      aria-label="All tokens, in rows"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard.
      tabIndex={0}
      onScroll={follow}
      onClick={({ target }) => {
        const index = (target as Element).closest('[data-at]')?.getAttribute('data-at')
        if (index != null) onChoose(Number(index))
      }}
    >
      <span class="probe" aria-hidden="true">
        {'0'.repeat(PROBED)}
      </span>
      <ol class="rows" style={{ paddingTop: `${from * height}px`, paddingBottom: `${(rows.count - to) * height}px` }}>
        {Array.from({ length: Math.max(0, to - from) }, (_, index) => (
          <li key={from + index} class="row" aria-setsize={rows.count} aria-posinset={from + index + 1}>
            <Pieces rows={rows} row={from + index} tokens={tokens} at={at} of={of} />
          </li>
        ))}
      </ol>
    </div>
  )
}

function Pieces({
  rows,
  row,
  tokens,
  at,
  of,
}: {
  readonly rows: Rows
  readonly row: number
  readonly tokens: readonly ShownToken[]
  readonly at: number
  readonly of: Range | undefined
}): JSX.Element {
  return (
    <>
      {piecesOf(rows, row, tokens).map(({ text: index, start, end }) => {
        const token = tokens[index] as ShownToken
        const isOf = of !== undefined && of.from <= index && index <= of.to
        const marks = `${index % 2 === 0 ? '' : ' odd'}${index === at ? ' at' : ''}${isOf ? ' chosen' : ''}`
        return (
          <span key={index} class={`${classOf(token)}${marks}`} data-at={index}>
            {shownText(token.text.slice(start, end))}
          </span>
        )
      })}
    </>
  )
}

function useMeasured(place: RefObject<HTMLElement | null>): Signal<Measured> {
  const measured = useSignal<Measured>({ columns: 0, height: 1, seen: 0 })
  useLayoutEffect(() => {
    const [element, probe, list] = [
      place.current,
      place.current?.querySelector('.probe'),
      place.current?.querySelector('.rows'),
    ]
    if (element == null || probe == null || list == null) return
    const measure = (): void => {
      const { width, height } = probe.getBoundingClientRect()
      const columns = Math.max(1, Math.floor((list.clientWidth * PROBED) / width))
      measured.value = { columns, height, seen: Math.ceil(element.clientHeight / height) }
    }
    measure()
    const observer = new ResizeObserver(measure)
    for (const each of [element, probe]) observer.observe(each)
    return () => observer.disconnect()
  }, [])
  return measured
}
