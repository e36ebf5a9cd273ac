import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { Chart } from './chart.js'
import { series } from './figures.js'
import { hourOf } from './hour.js'
import { timeWords } from './words.js'

/** The last hour as charts, with the values of a moment: the last, or one that the pointer or the slider chooses. */
export function LastHour(): JSX.Element {
  const { times, charts } = useMemo(() => hourOf(series.value), [series.value])
  /** The time that is chosen. Undefined: the last one, whichever it is. */
  const chosen = useSignal<number | undefined>(undefined)
  const last = times.length - 1
  const found = chosen.value === undefined ? -1 : times.indexOf(chosen.value)
  const index = found === -1 ? last : found
  const choose = (at: number | undefined): void => {
    chosen.value = at === undefined || at === last ? undefined : times[at]
  }
  const time = times[index]
  const words = time === undefined ? '' : timeWords(time)
  return (
    <section class="panel hour" aria-label="The last hour">
      <div class="heading">
        <h2>The last hour</h2>
        <input
          type="range"
          min={0}
          max={Math.max(last, 0)}
          value={Math.max(index, 0)}
          aria-label="Time of the values"
          aria-valuetext={words}
          onInput={({ currentTarget }) => choose(Number(currentTarget.value))}
        />
        <span class="note time">{words}</span>
      </div>
      <div class="charts">
        {charts.map((figures) => (
          <Chart
            key={figures.title}
            figures={figures}
            times={times}
            index={index}
            isChosen={found !== -1}
            onChoose={choose}
          />
        ))}
      </div>
      {times.length === 0 && <p class="note empty">The first ten seconds are not over yet.</p>}
    </section>
  )
}
