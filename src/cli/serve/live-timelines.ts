import { hostItem } from '../../core/items/host/host-item.js'
import type { ToolResult } from '../../core/items/parts/tool-result.js'
import type { TokenTable } from '../../core/tokens/token-table.js'
import { type Entry, isLastEntry, type OpenEntry, translatorOptionsOf } from '../../endpoint/journal/entry.js'
import { countCall } from '../../endpoint/journal/response-fold.js'
import { TurnCount } from '../../endpoint/journal/turn-count.js'
import type { TranslatorOptions } from '../../index.js'
import { createLayout, type Moment, type Screen } from '../timeline-layout.js'
import { traceTranslator } from '../traced-translator.js'

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
  settings: TranslatorOptions & { readonly tokenTable: TokenTable },
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

/** Draws one response, entry by entry. The tokens are pushed one by one, as in the timeline of a fixture. */
function createDrawing(open: OpenEntry & Entry, settings: TranslatorOptions, screen: Screen): (entry: Entry) => string {
  const layout = createLayout(screen)
  const clock = (): number => open.at
  const traced = traceTranslator({ ...settings, ...translatorOptionsOf(open), clock })
  const { translator, observe } = traced
  let context = open.prompt.tokens
  const count = new TurnCount()

  /** Draws a step of the host as one line, although it pushed tokens. */
  function hostStep(name: string, step: () => void): string {
    const moment = observe(name, step)
    return layout.moment({ ...moment, cause: name })
  }

  function momentsOf(entry: Entry): readonly Moment[] {
    if (entry.type === 'chunk') return entry.tokens.map((token) => observe('token', () => translator.push(token)))
    const { tokens } = entry as Extract<Entry, { type: 'host' }>
    return tokens.map((id) => observe('token', () => translator.push({ host: [id] })))
  }

  return (entry) => {
    switch (entry.type) {
      case 'open':
        return (
          layout.legend({ name: open.responseId }) +
          (entry.isQueued ? hostStep('queue', () => translator.queue()) : start())
        )
      case 'begin':
        return start()
      case 'turn':
        context += 2 + (entry.reminder?.length ?? 0)
        count.begin()
        return hostStep('turn', () => {
          if (entry.reminder !== undefined) translator.push({ host: entry.reminder })
          translator.beginTurn({ inputTokens: context })
        })
      case 'chunk':
        context += entry.tokens.length
        count.read(translator, entry.tokens.length)
        return momentsOf(entry).map(layout.moment).join('')
      case 'host':
        context += entry.tokens.length
        return layout.hostRun(momentsOf(entry))
      case 'item':
        if (entry.usage !== undefined) translator.addUsage(entry.usage)
        return hostStep('item', () => translator.insert(hostItem(entry.item)))
      case 'compaction': {
        const { usage, compacted } = entry
        if (usage !== undefined) countCall(translator, usage)
        if (compacted === undefined) return ''
        context = compacted.prompt.length
        return hostStep('compaction', () => translator.insert(hostItem(compacted.item)))
      }
      case 'usage':
      case 'stop':
        if (entry.usage !== undefined) count.add(translator, entry.usage)
        return ''
      case 'tool_started':
        return ''
      case 'tool_result': {
        const { itemId, result, transcript } = entry
        context += transcript.length
        if (result === undefined) return ''
        return hostStep('result', () => translator.toolResult({ ...result, itemId, transcript } as ToolResult))
      }
      case 'end':
        return summaryAfter('end', () => translator.end(entry.reason))
      case 'fail':
        return summaryAfter('fail', () => translator.fail(entry.failure))
      case 'abort':
        return summaryAfter('abort', () => translator.abort())
      case 'cancel':
        return summaryAfter('cancel', () => translator.cancel())
    }
  }

  function start(): string {
    return hostStep('start', () => translator.start())
  }

  function summaryAfter(name: string, step: () => void): string {
    const last = hostStep(name, step)
    const summary = layout.summary(translator.response, traced.eventCount, traced.diagnostics)
    translator.dispose()
    return last + summary
  }
}
