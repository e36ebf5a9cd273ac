import { check, checkStream } from '../../shared/errors.js'

/**
 * Throws if a value is no list of events. An asynchronous stream, such as that of `translate`, is named: it has to be
 * collected first, or pushed event by event.
 *
 * @param where - the called function, for messages
 */
export function checkList(where: string, events: unknown): void {
  checkStream(where, events)
  const isList = Symbol.iterator in Object(events)
  check(isList, where, 'a list of events: collect an asynchronous stream with `await` first', events, 'bad_stream')
}
