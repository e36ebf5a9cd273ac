import { type Entry, isLastEntry, type OpenEntry } from '../../endpoint/journal/entry.js'
import { type TranslateEntriesOptions, translateEntries } from '../../endpoint/respond/index.js'
import { createMomentLog } from '../moment-log.js'
import { createLayout, type Screen } from '../timeline-layout.js'

/** Draws the timelines of responses in progress. */
export interface LiveTimelines {
  take(responseId: string, entry: Entry): void
  /** Ends a response, even if its last entry could not be written. */
  end(responseId: string): void
}

/** The maximum number of characters of a response's timeline that are held while another one is drawn. */
const HELD = 100_000

/**
 * Draws one timeline at a time, since the lines of two would mix: those of the others are held until it has ended.
 *
 * @param settings - the translator settings of the responses
 * @param write - receives whole lines
 */
export function createLiveTimelines(
  settings: TranslateEntriesOptions,
  screen: Screen,
  write: (lines: string) => void,
): LiveTimelines {
  /** By the ids of responses. The first one is drawn. */
  const drawings = new Map<string, { readonly draw: (entry: Entry) => string; held: string; isOver: boolean }>()

  function end(responseId: string): void {
    const drawing = drawings.get(responseId)
    if (drawing === undefined) return
    drawing.isOver = true
    for (const [id, { isOver }] of drawings) {
      if (!isOver) break
      drawings.delete(id)
      const [next] = drawings.values()
      if (next === undefined) continue
      write(next.held.length < HELD ? next.held : `${next.held}(too many lines to show up to here)\n`)
      next.held = ''
    }
  }

  return {
    take(responseId, entry) {
      if (entry.type === 'open') {
        const draw = createDrawing(entry, settings, screen)
        drawings.set(responseId, { draw, held: '', isOver: false })
      }
      const drawing = drawings.get(responseId)
      if (drawing === undefined) return
      const lines = drawing.draw(entry)
      const [first] = drawings.values()
      if (drawing === first) write(lines)
      else if (drawing.held.length < HELD) drawing.held += lines
      if (isLastEntry(entry)) end(responseId)
    },
    end,
  }
}

/** The words for entries without tokens. Other entries change nothing that is shown. */
const WORDS: Partial<Record<Entry['type'], string>> = {
  open: 'start',
  begin: 'start',
  turn: 'turn',
  item: 'item',
  compaction: 'compaction',
  tool_result: 'result',
  stop: 'stop',
  end: 'end',
  fail: 'fail',
  abort: 'abort',
  cancel: 'cancel',
}

/** Draws one response, entry by entry. */
function createDrawing(open: OpenEntry, settings: TranslateEntriesOptions, screen: Screen): (entry: Entry) => string {
  const layout = createLayout(screen)
  const log = createMomentLog()
  const translation = translateEntries({ ...settings, ...log.options })

  function drawn(entry: Entry): string {
    const word = entry.type === 'open' && entry.isQueued ? 'queue' : (WORDS[entry.type] ?? entry.type)
    const moments = log.observe(word, () => translation.apply(entry))
    if (entry.type === 'chunk') return moments.map(layout.moment).join('')
    if (entry.type === 'host') return layout.hostRun(moments)
    const [harmony, news] = [moments.flatMap((moment) => moment.harmony), moments.flatMap((moment) => moment.news)]
    const isShown = news.length > 0 || harmony.length > 0 || entry.type === 'turn'
    return isShown ? layout.moment({ cause: word, harmony, news }) : ''
  }

  return (entry) => {
    const lines = drawn(entry)
    const { response } = translation
    if (entry.type === 'open') return layout.legend({ name: open.responseId }) + lines
    if (!isLastEntry(entry) || response === undefined) return lines
    const summary = layout.summary(response, log.eventCount, log.diagnostics)
    translation.dispose()
    return lines + summary
  }
}
