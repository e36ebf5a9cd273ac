/** A store has lost acknowledged entries of a response. */
export class EntriesLost extends Error {
  override readonly name = 'EntriesLost'

  /**
   * @param acknowledged - how many it had
   * @param count - how many it has
   */
  constructor(responseId: string, acknowledged: number, count: number) {
    super(`${responseId}: the store has acknowledged ${acknowledged} entries and has ${count}`)
  }
}
