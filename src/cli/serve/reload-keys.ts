import { type Io, messageOf } from '../io.js'
import type { Keyring } from './keyring.js'
import type { RequestLog } from './log-entries.js'

/**
 * Reads the files of keys again whenever the process is told to, and logs each time what came of it.
 *
 * @returns a function that stops it
 */
export function reloadKeys(keyring: Keyring, log: RequestLog, io: Io): () => void {
  let isReading = false
  let isWanted = false
  // One reading at a time: of two, the one that began first could end last. What was asked meanwhile is one reading.
  async function read(): Promise<void> {
    isReading = true
    while (isWanted) {
      isWanted = false
      try {
        log.keysRead(await keyring.reload())
      } catch (error) {
        log.keysRefused(messageOf(error))
      }
    }
    isReading = false
  }
  return io.onReload(() => {
    isWanted = true
    if (!isReading) read()
  })
}
