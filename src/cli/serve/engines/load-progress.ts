import type { Io } from '../../io.js'
import { plain } from '../../terminal-text.js'

/**
 * Shows how much of a model is loaded, which takes minutes: in one line that a terminal overwrites, elsewhere in a line
 * for each quarter.
 *
 * @returns takes the loaded share, 0 to 1
 */
export function loadProgress(
  file: string,
  { screen, complain }: Pick<Io, 'screen' | 'complain'>,
): (share: number) => void {
  const isTerminal = screen.hasColors
  let shown = -1
  return (share) => {
    const percent = isTerminal ? Math.floor(share * 100) : Math.floor(share * 4) * 25
    if (percent <= shown) return
    shown = percent
    const text = `loads ${plain(file)}: ${percent} %`
    complain(isTerminal ? `\r${text}${percent === 100 ? '\n' : ''}` : `${text}\n`)
  }
}
