import type { Io } from '../io.js'
import { clip, createPaint } from '../terminal-text.js'

/** What a server does now. */
export interface Activity {
  readonly running: number
  readonly waiting: number
  /** How many tokens were sampled since the start. */
  readonly sampled: number
}

/** A line at the bottom of a terminal that says what a server does. Lines of the log stand above it. */
export interface StatusLine {
  /** Draws it, if it has changed. */
  draw(): void
  /** Writes lines of the log. */
  write(lines: string): void
  /** Takes it away. What is written later is not followed by it. */
  end(): void
}

/** Moves to the beginning of the line and clears it. */
const CLEAR = '\r\u001b[K'

/** @param seconds - a steady clock */
export function createStatusLine(
  { columns, hasColors }: Io['screen'],
  write: (text: string) => void,
  activity: () => Activity,
  seconds: () => number,
): StatusLine {
  const paint = createPaint(hasColors)
  let shown = ''
  let before = { sampled: activity().sampled, at: seconds() }

  /** Returns the tokens of a second since the last call. */
  function rate(sampled: number): number {
    const at = seconds()
    const tokens = at > before.at ? (sampled - before.sampled) / (at - before.at) : 0
    before = { sampled, at }
    return Math.round(tokens)
  }

  return {
    draw() {
      const { running, waiting, sampled } = activity()
      const text = `running ${running} · ${rate(sampled)} tokens/s · waiting ${waiting}`
      // A full line would make the terminal begin another one.
      const line = paint(clip(text, columns - 1), 'dim')
      if (line !== shown) write(CLEAR + line)
      shown = line
    },
    write: (lines) => write(shown === '' ? lines : CLEAR + lines + shown),
    end() {
      if (shown !== '') write(CLEAR)
      shown = ''
    },
  }
}

/** Shows {@link StatusLine} while a server runs. */
export interface LiveStatus {
  /** The environment whose log stands above the line. */
  readonly io: Io
  /** Draws the line from now on, once a second. */
  begin(activity: () => Activity): void
  end(): void
}

const EVERY_MS = 1000

/** Shows the line if the log goes to a terminal, for people: a program reads `--log json`. */
export function liveStatus(io: Io, isForPeople: boolean, seconds: () => number): LiveStatus {
  if (!io.screen.isLive || !isForPeople) return { io, begin() {}, end() {} }
  let line: StatusLine | undefined
  let timer: ReturnType<typeof setInterval> | undefined
  return {
    io: { ...io, complain: (lines) => (line === undefined ? io.complain(lines) : line.write(lines)) },
    begin(activity) {
      line = createStatusLine(io.screen, io.complain, activity, seconds)
      line.draw()
      timer = setInterval(line.draw, EVERY_MS)
      timer.unref()
    },
    end() {
      clearInterval(timer)
      line?.end()
      line = undefined
    },
  }
}
