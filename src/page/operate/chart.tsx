import type { JSX } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { shownText } from '../parts/shown-text.js'
import type { ChartFigures } from './hour.js'
import { timeWords } from './words.js'

/** The height of a plot, in pixels: it is there before its figures are. */
const HEIGHT = 140
/** The width of the words beside it. */
const AXIS_WIDTH = 64
const HOUR = 3600

/** How each line is dashed, for those who cannot tell their colours apart. Its mark in the legend is alike. */
const DASHES: readonly (readonly number[])[] = [[], [6, 4], [2, 3], [10, 3, 2, 3], [4, 2]]

const COUNTS: number[] = [1, 2, 5]
  .flatMap((digit) => [0, 1, 2, 3, 4, 5, 6].map((power) => digit * 10 ** power))
  .sort((a, b) => a - b)

/** A chart of the last hour, and the values of a moment of it. */
export function Chart({
  figures,
  times,
  index,
  isChosen,
  onChoose,
}: {
  readonly figures: ChartFigures
  readonly times: readonly number[]
  /** Whose values are shown. */
  readonly index: number
  /** Whether they are marked. */
  readonly isChosen: boolean
  readonly onChoose: (index: number | undefined) => void
}): JSX.Element {
  const { title, lines, words, takesMore } = figures
  const id = useId()
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const choose = useRef(onChoose)
  choose.current = onChoose

  useLayoutEffect(() => {
    if (place.current === null) return undefined
    const drawn = draw(place.current, figures, (at) => choose.current(at))
    plot.current = drawn
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) drawn.setSize({ width: entry.contentRect.width, height: HEIGHT })
    })
    observer.observe(place.current)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const redraw = (): void => drawn.redraw(false)
    scheme.addEventListener('change', redraw)
    return () => {
      scheme.removeEventListener('change', redraw)
      observer.disconnect()
      drawn.destroy()
    }
  }, [lines.length])

  useLayoutEffect(() => {
    plot.current?.setData([times, ...lines.map(({ values }) => values)] as uPlot.AlignedData)
  }, [times, lines])

  useLayoutEffect(() => {
    const time = times[index]
    const { current } = plot
    if (current === undefined) return
    // Where no mark is to be, it stands outside.
    const left = isChosen && time !== undefined ? current.valToPos(time, 'x') : -10
    current.setCursor({ left, top: 0 }, false)
  }, [index, isChosen, times, lines])

  return (
    <figure class="chart" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <div class="plot" ref={place} role="img" aria-labelledby={id} />
      <figcaption>
        <ul class={takesMore ? 'many' : ''}>
          {lines.map(({ label, values }, line) => (
            <li key={line}>
              <span class={`mark line-${line}`} />
              <b>{words(values[index] ?? null)}</b>
              <span class="label">{shownText(label)}</span>
              <span class="hidden">, at most {words(mostOf(values))} in the hour</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  )
}

function mostOf(values: readonly (number | null)[]): number | null {
  return values.reduce((most, value) => (value === null || (most ?? 0) > value ? most : value), null)
}

function draw(place: HTMLElement, figures: ChartFigures, onChoose: (index: number | undefined) => void): uPlot {
  const { lines, words, counts } = figures
  // Colours come from the style sheet, anew for each drawing: the scheme may change.
  const mark = (line: number): CSSStyleDeclaration | undefined => {
    const element = place.parentElement?.querySelector(`.line-${line}`)
    return element ? getComputedStyle(element) : undefined
  }
  const own = getComputedStyle(place)
  const axis: uPlot.Axis = {
    stroke: () => own.color,
    font: `12px ${own.fontFamily}`,
    grid: { stroke: () => own.borderTopColor, width: 1 },
    ticks: { show: false },
  }
  const drawn = new uPlot(
    {
      ...{ width: place.clientWidth, height: HEIGHT, padding: [8, 8, 0, 0] },
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: {
        x: {
          range: ({ data: [times] }) => {
            const to = times.at(-1) ?? HOUR
            return [to - HOUR, to]
          },
        },
        // All begin at zero. What has no value has a scale, too.
        y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] },
      },
      axes: [
        {
          ...axis,
          size: 26,
          gap: 6,
          space: 50,
          incrs: [600, 900, 1200, 1800, HOUR],
          // Without figures it is no hour of a day.
          values: ({ data: [times] }, splits) => splits.map((at) => (times.length > 0 ? timeWords(at, 'minutes') : '')),
        },
        {
          ...axis,
          size: AXIS_WIDTH,
          space: 28,
          ...(counts && { incrs: COUNTS }),
          values: (_, splits) => splits.map((value) => words(value)),
        },
      ],
      series: [
        {},
        ...lines.map(({ values }, line): uPlot.Series => {
          return {
            width: 1.5,
            dash: [...(DASHES[line] ?? [])],
            stroke: () => mark(line)?.borderTopColor ?? own.color,
            ...(lines.length === 1 && { fill: () => mark(line)?.backgroundColor ?? 'transparent' }),
            // A value between two intervals without one has no line.
            points: { show: true, size: 4, filter: ({ data }) => alone(data[line + 1] ?? values) },
          }
        }),
      ],
    },
    [[], ...lines.map(() => [])],
    place,
  )
  drawn.over.addEventListener('mousemove', ({ offsetX }) => onChoose(drawn.posToIdx(offsetX)))
  drawn.over.addEventListener('mouseleave', () => onChoose(undefined))
  return drawn
}

/** Returns where values are that have none beside them. */
function alone(values: ArrayLike<number | null | undefined>): number[] {
  return Array.from(values).flatMap((value, at) =>
    value != null && values[at - 1] == null && values[at + 1] == null ? [at] : [],
  )
}
